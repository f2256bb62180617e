# shellcheck shell=bash
# Terraform, or OpenTofu, which is built from its module where there is no terraform.

check_terraform() {
  local terraform tflint folder
  unset TF_CLI_CONFIG_FILE
  export TF_DATA_DIR=$work/terraform TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
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

# tofu_module builds OpenTofu. Its go.mod replaces modules, which `go install` refuses: a
# module of ours names the same.
tofu_module() {
  [[ -x $tools/tofu ]] || go -C deploy/checks/tofu build -trimpath -o "$tools/tofu" github.com/opentofu/opentofu/cmd/tofu >"$work/install.log" 2>&1 || return
  echo "$tools/tofu"
}

validate() {
  "$1" -chdir=deploy/terraform/hosts init -backend=false -input=false && "$1" -chdir=deploy/terraform/hosts validate
}
