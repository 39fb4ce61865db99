# shellcheck shell=bash
# Shows a whole launch without doing any of it.

# Usage: primus_dry_run_show OPTIONS DIST PLAN WARNINGS [TRAIN_ARGUMENT...]
# Prints the plan: for people, as comments above a command that can be pasted, or as JSON with --json. Secrets are
# masked and stand in no command.
# Status: 0; what primus_launch_argv or the hooks' folders say.
primus_dry_run_show() {
  local -n _pdrs_options=$1 _pdrs_dist=$2 _pdrs_plan=$3 _pdrs_warnings=$4
  local id=${_pdrs_plan[run_id]-}
  local -a argv=() hooks=() names=() pairs=() hidden=()
  if [[ -n ${_pdrs_plan[exp_dir]-} ]]; then
    [[ -n $id ]] || _primus_run_id_new id
    _primus_env_own PRIMUS_RUN_ID "$id"
    _primus_env_own PRIMUS_RUN_DIR "${_pdrs_plan[exp_dir]}/$id"
  fi
  # shellcheck disable=SC2034 # primus_launch_argv reads it
  PRIMUS_EXTRA_ARGS=()
  primus_launch_argv argv "$1" "$2" "$3" "${@:5}" || return
  primus_secret_mask_args argv "${argv[@]}"
  _primus_dry_run_hooks || return
  _primus_dry_run_environment
  if [[ -n ${_pdrs_options["--json"]-} ]]; then _primus_dry_run_json; else _primus_dry_run_text; fi
}

# The hooks in order, those of the framework below the one that runs them.
_primus_dry_run_hooks() {
  local file=''
  local -a files=() inner=()
  primus_hooks_list files ${_pdrs_plan[stage]+train "${_pdrs_plan[stage]}"} || return
  for file in ${files[@]+"${files[@]}"}; do
    hooks+=("$file")
    [[ ${file##*/} == prepare_experiment.sh ]] || continue
    primus_hooks_list_framework inner "${_pdrs_plan[stage]}" "${_pdrs_plan[framework]}" || return
    hooks+=(${inner[@]+"${inner[@]}"})
  done
  primus_option_list files _pdrs_options --patch
  hooks+=(${files[@]+"${files[@]}"})
}

# Sorts the variables that the launch sets into names, NAME=VALUE pairs, and those that are secrets.
_primus_dry_run_environment() {
  local name='' shown=''
  # shellcheck disable=SC2034 # functions use it by its name
  local -a values=()
  _primus_secret_values values
  # shellcheck disable=SC2154 # env.sh keeps it
  mapfile -t names < <(printf '%s\n' "${!_primus_env_origin[@]}" | LC_ALL=C sort)
  for name in "${names[@]}"; do
    _primus_secret_mask_values values shown "${!name-}"
    if _primus_secret_name "$name" || [[ $shown != "${!name-}" ]]; then
      hidden+=("$name")
    else
      pairs+=("$name=${!name-}")
    fi
  done
}

_primus_dry_run_text() {
  local item='' shown=''
  printf '# The plan of primus-cli direct. Nothing was started: no hook ran, no folder was made.\n'
  [[ -z ${_pdrs_plan[framework]-} ]] ||
    printf '# experiment: %q (%s, %s, %s)\n' "${_pdrs_plan[config]}" "${_pdrs_plan[framework]}" "${_pdrs_plan[stage]}" "${_pdrs_plan[module]-}"
  for item in ${_pdrs_warnings[@]+"${_pdrs_warnings[@]}"}; do printf '# warning: %s\n' "${item//$'\n'/" "}"; done
  printf '# interpreter: %q\n' "$PRIMUS_PYTHON"
  printf '# ranks: %s on this node (%s); node %s of %s (%s)\n' "${_pdrs_dist[nproc]}" "${_pdrs_dist["nproc.origin"]}" \
    "${_pdrs_dist[node_rank]}" "${_pdrs_dist[nnodes]}" "${_pdrs_dist["nnodes.origin"]}"
  if [[ -n ${_pdrs_dist[master_port]} ]]; then
    printf '# meeting at: %s (%s) port %s (%s)\n' "${_pdrs_dist[master_addr]}" "${_pdrs_dist["master_addr.origin"]}" \
      "${_pdrs_dist[master_port]}" "${_pdrs_dist["master_port.origin"]}"
  fi
  [[ -z ${PRIMUS_RUN_DIR-} ]] || printf '# record: %q\n' "$PRIMUS_RUN_DIR"
  printf '# hooks, in this order:\n'
  ((${#hooks[@]} == 0)) || printf '#   %q\n' "${hooks[@]}"
  printf '# environment, as far as it is known before the hooks run:\n'
  for item in "${names[@]}"; do printf '#   %s: %s\n' "$item" "${_primus_env_origin["$item"]#*:}"; done
  for item in ${hidden[@]+"${hidden[@]}"}; do printf '#   %s=*** is not shown below: set it before pasting\n' "$item"; done
  printf '# command:\n'
  printf 'env -C %q' "$PWD"
  printf ' \\\n  %q' "${pairs[@]}"
  printf ' \\\n '
  printf ' %q' "${argv[@]}"
  printf '\n'
}

_primus_dry_run_json() {
  local key='' value='' line='' origin=''
  printf '{\n'
  for key in config framework stage module; do
    _primus_json_string value "${_pdrs_plan["$key"]-}"
    printf '  "%s": %s,\n' "$key" "$value"
  done
  for key in nnodes node_rank nproc master_addr master_port; do
    _primus_json_string value "${_pdrs_dist["$key"]}"
    _primus_json_string origin "${_pdrs_dist["$key.origin"]}"
    printf '  "%s": {"value": %s, "origin": %s},\n' "$key" "$value" "$origin"
  done
  _primus_json_string value "${PRIMUS_RUN_DIR-}"
  printf '  "record": %s,\n' "$value"
  _primus_json_array value ${_pdrs_warnings[@]+"${_pdrs_warnings[@]}"}
  printf '  "warnings": %s,\n' "$value"
  _primus_json_array value ${hooks[@]+"${hooks[@]}"}
  printf '  "hooks": %s,\n' "$value"
  for key in "${names[@]}"; do
    value='***'
    [[ " ${hidden[*]-} " == *" $key "* ]] || value=${!key-}
    _primus_json_string value "$value"
    _primus_json_string origin "${_primus_env_origin["$key"]#*:}"
    line+=${line:+,}$'\n'"    \"$key\": {\"value\": $value, \"origin\": $origin}"
  done
  printf '  "environment": {%s\n  },\n' "$line"
  _primus_json_array value "${argv[@]}"
  _primus_json_string line "$PWD"
  printf '  "folder": %s,\n  "command": %s\n}\n' "$line" "$value"
}
