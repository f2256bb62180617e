# shellcheck shell=bash
# Checks the release with goreleaser. 2.16 is the last that Go 1.26 builds from public modules.

check_release() {
  local tool
  if tool=$(go_tool goreleaser github.com/goreleaser/goreleaser/v2 v2.16.0); then
    try "goreleaser 2.16" .goreleaser.yaml "$tool" check --quiet .goreleaser.yaml
  else
    missing goreleaser .goreleaser.yaml "$(why)"
  fi
  try "completions" deploy/release/completions deploy/release/completions
  beyond "a release" .goreleaser.yaml "images, lists of contents and what is published"
}
