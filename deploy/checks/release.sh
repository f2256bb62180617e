# shellcheck shell=bash
# What goreleaser would do. From 2.18 on it wants Go 1.27.

check_release() {
  local tool
  if tool=$(go_tool goreleaser github.com/goreleaser/goreleaser/v2 v2.17.0); then
    try "goreleaser 2.17" .goreleaser.yaml "$tool" check --quiet .goreleaser.yaml
  else
    missing goreleaser .goreleaser.yaml "$(why)"
  fi
  try "completions" deploy/release/completions deploy/release/completions
  beyond "a release" .goreleaser.yaml "images, lists of contents and what is published"
}
