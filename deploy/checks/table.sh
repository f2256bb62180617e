# shellcheck shell=bash
# The results: rows of tool, file and result, and the exit code.
rows=() failed=0 missed=0

row() { rows+=("$1"$'\t'"$2"$'\t'"$3"); }

# try TOOL FILE COMMAND... runs a command that fails if something is wrong with the file.
# Its output is then shown at once.
try() {
  local tool=$1 file=$2 said
  shift 2
  if said=$("$@" 2>&1); then
    row "$tool" "$file" ok
    return
  fi
  row "$tool" "$file" FAILED
  failed=1
  { echo "== $tool: $file" && echo "$said" && echo; } >&2
  return 1
}

# missing TOOL FILE WHY: the tool cannot be had on this machine.
missing() {
  row "$1" "$2" "NOT CHECKED: $3"
  missed=1
}

# beyond TOOL FILE WHY: no tool that can be had without the cloud, or the cluster, tells.
beyond() { row "$1" "$2" "cannot be checked here: $3"; }

table() {
  local tool file result
  {
    printf 'tool\tfile\tresult\n'
    printf '%s\n' "${rows[@]}"
  } | while IFS=$'\t' read -r tool file result; do
    printf '%-20s %-48s %s\n' "$tool" "$file" "$result"
  done
  if ((missed)); then
    echo
    echo "*** A TOOL IS MISSING: WHAT IT CHECKS WAS NOT CHECKED (see above) ***"
    [[ $require == no ]] || failed=1
  fi
  exit "$failed"
}
