# shellcheck shell=bash
# Installs the tools: Go modules and Python packages, each pinned, each in a separate folder
# below .bin. A function prints the program's path, or the reason why it is missing.

# go_tool NAME MODULE VERSION
go_tool() {
  local path=$tools/$1-$3
  if [[ ! -x $path ]]; then
    echo "installing $1 $3" >&2
    GOBIN=$tools/new GOFLAGS=-trimpath CGO_ENABLED=0 go install "$2@$3" >"$work/install.log" 2>&1 || return
    mv "$tools/new/$(basename "${2%/v[0-9]*}")" "$path" || return
  fi
  echo "$path"
}

# python_tool NAME PACKAGE VERSION
python_tool() {
  local home=$tools/$1-$3
  if [[ ! -x $home/bin/$1 ]]; then
    echo "installing $1 $3" >&2
    { python3 -m venv --clear "$home" && "$home/bin/pip" install -q --disable-pip-version-check "$2==$3"; } >"$work/install.log" 2>&1 || return
  fi
  echo "$home/bin/$1"
}

# why prints the last line of what an installation said.
why() { grep -v '^$' "$work/install.log" 2>/dev/null | tail -n 1; }
