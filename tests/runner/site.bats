#!/usr/bin/env bats
# The functions for site scripts, in callers of every kind.

load helper
setup() { setup_project; }

# The lines that put a caller into one of its settings, by name.
settings() {
  cat <<'E2'
plain|:
strict|set -euo pipefail
errexit|set -e
nounset|set -u
nullglob|shopt -s nullglob
failglob|shopt -s failglob
noglob|set -f
comma IFS|IFS=,
empty IFS|IFS=
unset IFS|unset IFS
letters IFS|IFS=abcdefghijklmnopqrstuvwxyz/_:.-
DEBUG trap|trap 'traced=1' DEBUG
inherited DEBUG trap|set -T; trap 'traced=1' DEBUG
inherited ERR trap|set -E; trap 'errors=$((${errors:-0} + 1))' ERR
strict with ERR trap|set -eEuo pipefail; trap 'errors=1' ERR
extglob|shopt -s extglob
nocasematch|shopt -s nocasematch
nocaseglob dotglob|shopt -s nocaseglob dotglob
noclobber|set -C
allexport|set -a
posix names|shopt -s xpg_echo
lastpipe|shopt -s lastpipe
keyword trace|set -x
TMOUT|TMOUT=1
CDPATH|CDPATH=/:/tmp
job control|set -m
GLOBIGNORE|GLOBIGNORE='*.sh'
E2
}

# A program that notes its state, uses the functions, notes its state again and prints what they gave.
write_caller() {
  cat >caller <<'E2'
state() {
  {
    set -o
    shopt
    trap
    umask
    pwd
    printf '%q\n' "${IFS-unset}"
    compgen -v | grep -vE '^(_|BASH_.*|FUNCNAME|PIPESTATUS|RANDOM|SRANDOM|EPOCH.*|SECONDS|LINENO|COLUMNS|LINES|traced|errors|OPTIND|BASHPID|PRIMUS_EXTRA_ARGS|PRIMUS_HOOK_REPORT|_primus_.*|FROM_HOOK|APPLIED|MYPATH|python|state_.*)$'
    declare -F | grep -vE 'primus_|execute_hooks'
    ls /proc/$$/fd | awk '$1 >= 10 && $1 != 255'
  } 2>/dev/null
}
state_before=$(state)
source "$ROOT/runner/site.sh"
source "$ROOT/runner/site.sh"
state_sourced=$(state)
[[ $state_before == "$state_sourced" ]] || { diff <(printf '%s\n' "$state_before") <(printf '%s\n' "$state_sourced"); exit 9; }
primus_root root
primus_python_find python
status=0
primus_env_file_read "$WORK/none.env" env-file 2>/dev/null || status=$?
primus_env_file_read "$WORK/f.env" env-file
primus_path_prepend MYPATH /a
primus_path_prepend MYPATH /b
primus_hostlist_expand hosts 'n[01-02],x'
primus_suggest nearest pretrian pretrain posttrain
primus_status_describe how 143
primus_secret_mask masked 'token=S3CRET-value'
primus_hooks_list files train pretrain
lock_status=0
primus_lock "$WORK/lock" 5 bash -c 'exit 7' || lock_status=$?
bad_status=0
primus_hook_env 1A x 2>/dev/null || bad_status=$?
hooks_status=0
execute_hooks train pretrain --config exp.yaml 'a b' 2>/dev/null || hooks_status=$?
line=$(primus_hook_extra a.b 'c d')
log=$(primus_log info 'a message' 2>&1 | grep -v '^+')
{
  printf '%s\n' "$root" "${python##*/}" "$status" "$APPLIED" "$MYPATH" "${#hosts[@]}" "${hosts[1]}" "$nearest" "$how" "$masked" \
    "${files[@]##*/}" "$lock_status" "$bad_status" "$hooks_status" "${PRIMUS_EXTRA_ARGS[@]}" "$FROM_HOOK" "$line" "$log"
} >"$RESULT"
unset root status hosts nearest how masked files lock_status bad_status hooks_status line log
state_after=$(state)
[[ $state_before == "$state_after" ]] || { diff <(printf '%s\n' "$state_before") <(printf '%s\n' "$state_after"); exit 8; }
E2
}

@test "sourcing and using the functions changes nothing in the caller, and they behave the same, in each setting" {
  hook 010-a.sh <<<'printf "extra.args=[%s]\n" "$*"; echo "env.FROM_HOOK=a  b"; echo noise'
  hook 020-b.sh <<<'echo "extra.saw=$FROM_HOOK"'
  rm "$ROOT/runner/helpers/hooks/train/pretrain/prepare_experiment.sh"
  printf 'APPLIED=x y, z\n' >f.env
  export ROOT WORK MY_TOKEN=S3CRET-value PRIMUS_PLAN_FRAMEWORK=dummy
  write_caller
  local row='' count=0
  while IFS= read -r row; do
    {
      printf '%s\n' "${row#*|}"
      cat caller
    } >"this caller"
    export RESULT="$BATS_TEST_TMPDIR/result $count"
    "$BASH" "./this caller" >said 2>&1 || {
      printf 'caller "%s": status %d\n' "${row%%|*}" "$?"
      tail -n 20 said
      return 1
    }
    cmp "$RESULT" "$BATS_TEST_TMPDIR/result 0" || {
      printf 'caller "%s" differs\n' "${row%%|*}"
      diff "$RESULT" "$BATS_TEST_TMPDIR/result 0"
      return 1
    }
    count=$((count + 1))
  done < <(settings)
  ((count >= 16))
  assert_equal "$(<"$BATS_TEST_TMPDIR/result 0")" "$ROOT
recorder-python
3
x y, z
/b:/a
3
n02
pretrain
was killed by signal TERM (status 143)
token=***
010-a.sh
020-b.sh
7
2
0
--args
[--config exp.yaml a b]
--saw
a  b
a  b
extra.a.b=c d
[primus] a message"
}

@test "each library can be sourced by itself, twice, without a trace" {
  local file=''
  cat >caller <<'E2'
state() {
  set -o
  shopt
  trap
  compgen -v | grep -vE '^(_|state_before|BASH_.*|FUNCNAME|PIPESTATUS|LINENO)$'
}
state_before=$(state)
source "$1"
source "$1"
diff <(printf '%s\n' "$state_before") <(state)
E2
  for file in "$ROOT"/runner/lib/*.sh; do
    run -0 "$BASH" ./caller "$file"
    assert_equal "$output" ''
  done
}

@test "site.sh can be sourced from its own folder by its bare name" {
  cd "$ROOT/runner"
  run -0 "$BASH" -c 'source ./site.sh && primus_root root && printf "%s" "$root"'
  assert_equal "$output" "$ROOT"
  run -0 "$BASH" -c 'PATH=.:$PATH; source site.sh && primus_root root && printf "%s" "$root"'
  assert_equal "$output" "$ROOT"
}

@test "a script says which version of the functions it was written for" {
  run -0 "$BASH" -c 'source "$1/runner/site.sh" && primus_api_require 1' - "$ROOT"
  run -2 --separate-stderr "$BASH" -c 'source "$1/runner/site.sh" && primus_api_require 2' - "$ROOT"
  assert_equal "$stderr" '[primus] ERROR this script was written for version "2" of the launcher'"'"'s shell functions, which are at 1
[primus] see runner/README.md of Primus for what changed'
}

@test "every public function is documented in one form, with an example in the README" {
  local name='' block='' word=''
  while read -r name; do
    block=$(cat "$ROOT"/runner/lib/*.sh "$ROOT/runner/helpers/execute_hooks.sh" | awk -v name="$name() {" '
      /^#/ { text = text "\n" $0; next } $0 == name { print text; exit } { text = "" }')
    for word in Usage: Does: Status: Example:; do
      [[ $block == *"# $word"* ]] || { printf '%s: no %s\n' "$name" "$word" && return 1; }
    done
  done < <(sed -n 's/^### `\([a-z_]*\).*/\1/p' "$ROOT/runner/README.md")
  (($(grep -c '^### `' "$ROOT/runner/README.md") >= 12))
}

@test "the examples for sites run as they are" {
  cp -a "$SOURCE_ROOT/examples" "$ROOT/"
  local file=''
  for file in "$ROOT"/examples/site/*.sh; do
    run -0 --separate-stderr "$BASH" "$file"
    [[ -n $output ]]
  done
}
