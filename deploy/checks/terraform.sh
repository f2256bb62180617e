# shellcheck shell=bash
# Terraform, or OpenTofu, which is built from its module where there is no terraform.

check_terraform() {
  local terraform tflint folder
  unset TF_CLI_CONFIG_FILE
  export TF_DATA_DIR=$work/terraform TF_IN_AUTOMATION=1 TF_CLI_ARGS=-no-color CHECKPOINT_DISABLE=1
  if terraform=$(terraform_program); then
    for folder in hosts cloud/aws; do
      try "$(basename "$terraform") fmt" "deploy/terraform/$folder" "$terraform" "-chdir=deploy/terraform/$folder" fmt -check -diff -recursive
    done
    try "$(basename "$terraform") validate" deploy/terraform/hosts validate "$terraform"
    try "$(basename "$terraform") test" deploy/terraform/hosts "$terraform" -chdir=deploy/terraform/hosts test
  else
    missing terraform deploy/terraform "$(why)"
  fi
  if tflint=$(go_tool tflint github.com/terraform-linters/tflint v0.64.0); then
    for folder in hosts cloud/aws; do
      try "tflint 0.64" "deploy/terraform/$folder" "$tflint" "--chdir=deploy/terraform/$folder" "--config=$repo/deploy/terraform/.tflint.hcl"
    done
  else
    missing tflint deploy/terraform "$(why)"
  fi
  beyond "terraform validate" deploy/terraform/cloud/aws "the provider is in no package registry"
}

terraform_program() {
  command -v terraform || command -v tofu || tofu_module
}

# tofu_module builds OpenTofu. Its go.mod replaces a module, which `go install` refuses: a
# module that is made here does the same.
tofu=v1.12.6
tofu_module() {
  local path=$tools/tofu-$tofu/tofu
  [[ -x $path ]] || build_tofu >"$work/install.log" 2>&1 || return
  echo "$path"
}

build_tofu() (
  local module=github.com/opentofu/opentofu hcl
  echo "building OpenTofu $tofu" >&2
  rm -rf "$tools/tofu-$tofu" && mkdir -p "$tools/tofu-$tofu" && cd "$tools/tofu-$tofu" || return
  hcl=$(sed -n 's,^replace \(.*\) => \(.*\) \(.*\),\1=\2@\3,p' "$(go mod download -json "$module@$tofu" | sed -n 's/^\t"GoMod": "\(.*\)",*$/\1/p')" | tr ' ' '@')
  go mod init tofu && go mod edit -require="$module@$tofu" -replace="$hcl" && go get "$module/cmd/tofu@$tofu" &&
    go build -trimpath -o tofu "$module/cmd/tofu"
)

validate() {
  "$1" -chdir=deploy/terraform/hosts init -backend=false -input=false && "$1" -chdir=deploy/terraform/hosts validate
}
