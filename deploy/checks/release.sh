# shellcheck shell=bash
# Checks the release with goreleaser. 2.16 is the last that Go 1.26 builds from public modules.

goreleaser_tool() { go_tool goreleaser github.com/goreleaser/goreleaser/v2 v2.16.0; }
crane_tool() { go_tool crane github.com/google/go-containerregistry/cmd/crane v0.21.6; }
cyclonedx_tool() { go_tool cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod v1.9.0; }

check_release() {
  local tool
  if tool=$(goreleaser_tool); then
    try "goreleaser 2.16" .goreleaser.yaml "$tool" check --quiet .goreleaser.yaml
  else
    missing goreleaser .goreleaser.yaml "$(why)"
  fi
  try "completions" deploy/release/completions deploy/release/completions
  beyond "deploy-check" .goreleaser.yaml "make release builds and tests it"
}
