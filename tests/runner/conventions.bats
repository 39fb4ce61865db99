#!/usr/bin/env bats
# The rules for shell code, over every shell file of the launcher.

load helper

setup() {
  SOURCE_ROOT=${BATS_TEST_DIRNAME%/tests/runner}
  cd "$SOURCE_ROOT" || return
  mapfile -t commands < <(printf '%s\n' primus-cli runner/commands/*)
  mapfile -t libraries < <(printf '%s\n' runner/lib/*.sh runner/site.sh runner/helpers/execute_hooks.sh)
  mapfile -t hooks < <(find runner/helpers/hooks -name '*.sh')
  all=("${commands[@]}" "${libraries[@]}" "${hooks[@]}")
}

# The code of a file: no comments, no text inside a here-document. A line with a waiver is left out.
code_of() {
  awk '
    heredoc != "" { if ($0 == heredoc) heredoc = ""; next }
    match($0, /<<-?'"'"'?[A-Z_]+'"'"'?$/) { heredoc = substr($0, RSTART); gsub(/[<'"'"'-]/, "", heredoc) }
    /# waiver: / { next }
    /^[ \t]*#/ { next }
    { print FILENAME ":" FNR ": " $0 }' "$@"
}

# Fails, with the lines, when the code of the given files matches the pattern.
refute_code() {
  local pattern=$1 found=''
  shift
  found=$(code_of "$@" | grep -E "$pattern" || :)
  [[ -z $found ]] || {
    printf 'forbidden (%s):\n%s\n' "$pattern" "$found"
    return 1
  }
}

@test "nothing is evaluated" {
  refute_code '(^|[^A-Za-z0-9_-])eval([^A-Za-z0-9_-]|$)' "${all[@]}"
}

@test "no echo with escapes" {
  refute_code '(^|[^A-Za-z0-9_])echo +-[a-zA-Z]*e' "${all[@]}"
}

@test "no shell is started on a pasted text" {
  refute_code '(sh|BASH)[}"]* +-[a-z]*c +("[^"]*\$|[^"'"'"' ]*\$)' "${all[@]}"
}

@test "no value is pasted into a Python text" {
  refute_code '(python3?|PYTHON)[}"]* +(-[a-zA-Z] +)*-c +("[^"]*\$|[^"'"'"' ]*\$)' "${all[@]}"
}

@test "no fixed name under /tmp" {
  refute_code '/tmp/' "${all[@]}"
}

@test "nothing is exported but variables" {
  refute_code 'export +-f|declare +-[a-zA-Z]*fx|BASH_FUNC' "${all[@]}"
}

@test "no arithmetic statement that can end a strict caller" {
  refute_code '^[^ ]+ +\(\([^()]*(\+\+|--)[^()]*\)\)$' "${all[@]}"
  refute_code '(^|[^A-Za-z0-9_])let ' "${all[@]}"
}

@test "a hook's stderr is never merged into what is parsed" {
  refute_code '2>&1' runner/lib/hook*.sh runner/lib/protocol.sh runner/helpers/execute_hooks.sh
}

@test "bash reads no YAML" {
  refute_code '(^|[^A-Za-z])(grep|sed|awk|cut|while read) [^|]*\.ya?ml' "${all[@]}"
}

@test "what the launcher says goes through one function" {
  # shellcheck disable=SC2046 # no path here holds a space
  refute_code '(printf|echo) .*>&2' $(printf '%s\n' "${all[@]}" | grep -v lib/log.sh)
}

@test "colours only where log.sh decides" {
  # shellcheck disable=SC2046 # no path here holds a space
  refute_code '\\(e|033|x1b)\[|(^|[^A-Za-z])tput ' $(printf '%s\n' "${all[@]}" | grep -v lib/log.sh)
}

@test "no here-string: they need room in the folder for temporary files" {
  refute_code '<<<' "${libraries[@]}"
}

@test "a command has a header with its summary, usage and exit status, is strict, and ends with main" {
  local file='' second=''
  for file in "${commands[@]}"; do
    assert_equal "$file: $(head -n 1 "$file")" "$file: #!/usr/bin/env bash"
    second=$(sed -n 2p "$file")
    [[ $second == '# '*. ]] || { printf '%s: no summary in %q\n' "$file" "$second" && return 1; }
    grep -q '^# Usage:' "$file" || { printf '%s: no usage\n' "$file" && return 1; }
    grep -q '^# Exit status:' "$file" || { printf '%s: no exit status\n' "$file" && return 1; }
    grep -qx 'set -euo pipefail' "$file" || { printf '%s: not strict\n' "$file" && return 1; }
    assert_equal "$file: $(tail -n 1 "$file")" "$file: main \"\$@\""
    [[ -x $file ]] || { printf '%s: not executable\n' "$file" && return 1; }
  done
}

@test "a library is definitions only" {
  local file='' line=''
  for file in runner/lib/*.sh; do
    assert_equal "$file: $(head -n 1 "$file")" "$file: # shellcheck shell=bash"
    line=$(code_of "$file" | sed 's/^[^ ]* //' | grep -vE "^( |\$|\}|\)|[a-z_]+\(\) \{|(unset -f )?_primus_[a-z]+_load\$|')" || :)
    [[ -z $line ]] || { printf '%s holds %s\n' "$file" "$line" && return 1; }
  done
}

@test "a library never exits" {
  local file='' found=''
  for file in runner/lib/*.sh; do
    found=$(code_of "$file" | grep -E '(^|[^A-Za-z0-9_."$-])exit([^A-Za-z0-9_]|$)' | grep -vE 'hook_output\.sh.*== "end"\) exit' || :)
    [[ -z $found ]] || { printf '%s\n' "$found" && return 1; }
  done
}

@test "functions of libraries have names of the launcher" {
  local found=''
  found=$(code_of "${libraries[@]}" | sed 's/^[^ ]* //' | grep -E '^[A-Za-z_]+\(\)' | grep -vE '^(_?primus_[a-z0-9_]+|execute_hooks)\(\)' || :)
  [[ -z $found ]] || { printf '%s\n' "$found" && return 1; }
}

@test "locals of a substitution whose status matters are declared before it" {
  refute_code 'local( -[a-zA-Z]+)* +[a-z_]+="?\$\(' "${all[@]}"
}

@test "every default of the environment is data, and no script" {
  local file=''
  for file in runner/helpers/envs/*; do
    [[ $file == *.env ]]
    refute grep -vE '^(#|$|[A-Z][A-Z0-9_]*=)' "$file"
  done
}

@test "a library over 120 lines says why in its first lines" {
  local file='' lines=''
  for file in "${libraries[@]}"; do
    lines=$(wc -l <"$file")
    if ((lines > 120)) && ! head -n 5 "$file" | grep -q 'Longer than'; then
      printf '%s has %d lines\n' "$file" "$lines"
      return 1
    fi
  done
}
