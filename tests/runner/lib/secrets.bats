#!/usr/bin/env bats
# Secrets stay out of everything that is shown or stored, and off every command line.

load ../helper
setup() {
  setup_project
  export HF_TOKEN=hf_S3CRET_one WANDB_API_KEY=S3CRET_two MY_PASSWORD='S3CRET three $' DB_URL='postgres://user:S3CRET4@host/db'
}

no_secret_in() {
  if grep -r -a -n S3CRET "$@"; then return 1; fi
}

@test "no secret in any output, log or file of a launch, and training receives it" {
  hook 010-a.sh <<<'[[ $X_TOKEN == hf_S3CRET_five ]] && echo env.FROM_HOOK_TOKEN=S3CRET_six'
  train --debug --log-file l.txt --env X_TOKEN=hf_S3CRET_five --env Y=hf_S3CRET_one >out 2>err
  assert_equal "$(recorded_env X_TOKEN)" hf_S3CRET_five
  assert_equal "$(recorded_env HF_TOKEN)" hf_S3CRET_one
  assert_equal "$(recorded_env FROM_HOOK_TOKEN)" S3CRET_six
  mv "$RECORDS/env" "$BATS_TEST_TMPDIR/taken-away"
  await grep -q training l.txt
  no_secret_in .. "$RECORDS" --exclude=taken-away --exclude=010-a.sh --exclude='*.bats*' --exclude-dir=bin
}

@test "no secret in a dry run, for people or for machines" {
  export HF_TOKEN='hf_S3CRET "quoted" \ one'
  run -0 train --dry-run --debug --env X_TOKEN=hf_S3CRET_five --env "NOTE=the token is $HF_TOKEN"
  no_secret_in <<<"$output"
  assert_contains "$output" '#   X_TOKEN=*** is not shown below: set it before pasting'
  run -0 train --dry-run --json --env X_TOKEN=hf_S3CRET_five
  no_secret_in <<<"$output"
  "$TEST_PYTHON" -c 'import json, sys; assert json.loads(sys.argv[1])["environment"]["X_TOKEN"]["value"] == "***"' "$output"
  run -0 cli direct --dry-run -- train pretrain --config exp.yaml --wandb.api_key S3CRET7 api_key=S3CRET8 --note "$MY_PASSWORD" --url "$DB_URL" \
    tokenizer.bos_token=shown --max_tokens 77
  no_secret_in <<<"$output"
  assert_contains "$output" '--wandb.api_key \*\*\* api_key=\*\*\* --note \*\*\* --url postgres://user:\*\*\*@host/db tokenizer.bos_token=shown --max_tokens 77'
}

@test "a secret given with --env stands on no command line while hooks and training run" {
  hook 010-a.sh <<<'cat /proc/*/cmdline >"$RECORDS/cmdlines" 2>/dev/null || :'
  fake python <<'E2'
[[ $2 != primus.torchrun ]] || cat /proc/*/cmdline >>"$RECORDS/cmdlines" 2>/dev/null || :
exec "${0%/*}/recorder-python" "$@"
E2
  local form=''
  # Of this test alone: others may run on the machine at the same time.
  local secret=S3CRET-$BASHPID-$RANDOM
  for form in "--env X_TOKEN=$secret" "--env=X_TOKEN=$secret"; do
    # shellcheck disable=SC2086 # the form is meant to be split
    PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" train $form --env A=1 --nproc 2 --debug
    assert_equal "$(recorded_env X_TOKEN) $(recorded_env A) $(recorded_env GPUS_PER_NODE)" "$secret 1 2"
    grep -qaF primus.torchrun "$RECORDS/cmdlines"
    refute grep -qaF "$secret" "$RECORDS/cmdlines"
  done
}

@test "arguments survive when a secret is taken off the command line" {
  local -a odd=('a b' '' $'new\nline' -- --env 'X_TOKEN=kept' '*') got=()
  printf 'A=file\n' >'my file.env'
  cli direct --single --env X_TOKEN=hf_S3CRET_five --env-file 'my file.env' --run-id=r -- train pretrain --config exp.yaml "${odd[@]}"
  recorded_train_args got
  assert_list got --config exp.yaml "${odd[@]}"
  assert_equal "$(recorded_env A) $(recorded_env PRIMUS_RUN_ID) $(recorded_env PRIMUS_RUN_MODE)" 'file r single'
}

@test "error messages mask" {
  run -2 --separate-stderr train --nproc hf_S3CRET_one
  no_secret_in <<<"$stderr"
  hook 010-a.sh <<<'echo "env.A B=$HF_TOKEN"'
  run -4 --separate-stderr train
  no_secret_in <<<"$stderr"
}

@test "names and forms that are secrets, and those that are not" {
  # shellcheck source=runner/site.sh
  source "$ROOT/runner/site.sh"
  local name='' text='' masked=''
  for name in HF_TOKEN hf_token wandb.api_key AWS_SECRET_ACCESS_KEY DB_PASSWORD db-passwd MY_SECRET SECRET_THING GOOGLE_CREDENTIALS \
    GITHUB_PAT_TOKEN apikey auth_key PRIVATE_KEY DB_PWD LDAP_AUTH; do
    _primus_secret_name "$name" || { echo "$name" && return 1; }
  done
  for name in PWD OLDPWD PATH MAX_TOKENS tokenizer TOKENIZERS_PARALLELISM bos_token model.pad_token KEYBOARD monkey_key_count num_keys SSH_AUTH_SOCK; do
    refute _primus_secret_name "$name"
  done
  for text in "hf_$(printf 'a%.0s' {1..30})" "ghp_$(printf 'a%.0s' {1..36})" "sk-$(printf 'a%.0s' {1..40})" AKIAABCDEFGHIJKLMNOP \
    "glpat-$(printf 'a%.0s' {1..20})" "xoxb-$(printf '1%.0s' {1..20})"; do
    primus_secret_mask masked "before $text after"
    assert_equal "$masked" 'before *** after'
  done
  export LONG_TOKEN=first-part-and-more SHORT_TOKEN=first-part A_TOKEN=first-part-and
  primus_secret_mask masked 'x first-part-and-more y first-part z'
  assert_equal "$masked" 'x *** y *** z'
  for text in model.hf_assets_path=./hf_assets_path sk-1 https://host/path 'a://b c:d@e' "$PWD"; do
    primus_secret_mask masked "$text"
    assert_equal "$masked" "$text"
  done
}
