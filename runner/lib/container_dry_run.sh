# shellcheck shell=bash
# Shows a launch in a container without doing any of it. Reads what primus-cli container has found out.
# shellcheck disable=SC2154 # primus-cli container declares what is not declared here

_primus_container_dry_run() {
  local -a command=("${argv[@]}" "${image[@]}" "${words[@]}") shown=()
  primus_secret_mask_args shown "${command[@]}"
  if [[ -n ${options["--json"]-} ]]; then _primus_container_dry_run_json; else _primus_container_dry_run_text; fi
}

_primus_container_dry_run_text() {
  local item='' masked=''
  local -a hidden=()
  local -i i=0
  printf '# The plan of primus-cli container. Nothing was started: no container, no hook; no folder was made.\n'
  printf '# runtime: %q (%s answers)\n# made of: %q\n# name: %q\n# mounts:\n' "$runtime" "$kind" "${image[0]}${image[1]+ ${image[1]}}" "$name"
  for ((i = 1; i < ${#mounts[@]}; i += 2)); do printf '#   %q\n' "${mounts[i]}"; done
  printf '# environment, handed over through a private file:\n'
  for item in ${environment[@]+"${environment[@]}"}; do
    printf '#   %s: %s\n' "${item%%=*}" "$(_primus_container_origin "${item%%=*}")"
    primus_secret_mask masked "${item#*=}"
    if _primus_secret_name "${item%%=*}" || [[ $masked != "${item#*=}" ]]; then hidden+=("${item%%=*}"); fi
  done
  for item in ${hidden[@]+"${hidden[@]}"}; do printf '#   %s=*** is not shown below: set it before pasting\n' "$item"; done
  printf '# in the container, as far as this host can tell:\n'
  _primus_container_dry_run_inside
  printf '# command; a launch also shares a folder of its own at /run/primus, for signals and the status:\n'
  printf "printf '%%s\\\\0'"
  for item in ${environment[@]+"${environment[@]}"}; do
    if [[ " ${hidden[*]-} " == *" ${item%%=*} "* ]]; then printf ' "%s=$%s"' "${item%%=*}" "${item%%=*}"; else printf ' %q' "$item"; fi
  done
  printf ' |'
  printf ' \\\n  %q run' "${shown[0]}"
  printf ' %q' "${shown[@]:2}"
  printf '\n'
}

_primus_container_origin() {
  local origin=${_primus_env_origin["$1"]-}
  if [[ -n $origin ]]; then printf '%s' "${origin#*:}"; else printf 'this environment'; fi
}

# What primus-cli direct would do with the same arguments and environment.
_primus_container_dry_run_inside() {
  local line='' root=''
  local -a lines=() direct=()
  primus_root root
  _primus_container_env_words direct
  mapfile -t lines < <(
    _primus_container_environment_enter
    [[ -x ${PRIMUS_PYTHON-} || -z $python ]] || export PRIMUS_PYTHON=$python
    "$BASH" "$root/runner/commands/direct" --dry-run "$@" ${direct[@]+"${direct[@]}"} "${inside[@]}" 2>&1 </dev/null
  )
  for line in ${lines[@]+"${lines[@]}"}; do
    if (($#)); then printf '%s\n' "$line"; else printf '#   %s\n' "${line#'# '}"; fi
  done
}

_primus_container_dry_run_json() {
  local item='' value='' origin='' line='' inner=''
  local -i i=0
  local -a folders=()
  for ((i = 1; i < ${#mounts[@]}; i += 2)); do folders+=("${mounts[i]}"); done
  for item in ${environment[@]+"${environment[@]}"}; do
    primus_secret_mask value "${item#*=}"
    ! _primus_secret_name "${item%%=*}" || value='***'
    _primus_json_string value "$value"
    _primus_json_string origin "$(_primus_container_origin "${item%%=*}")"
    line+=${line:+,}$'\n'"    \"${item%%=*}\": {\"value\": $value, \"origin\": $origin}"
  done
  printf '{\n'
  for item in runtime kind name; do
    _primus_json_string value "${!item}"
    printf '  "%s": %s,\n' "$item" "$value"
  done
  _primus_json_array value ${folders[@]+"${folders[@]}"}
  printf '  "mounts": %s,\n  "environment": {%s\n  },\n' "$value" "$line"
  inner=$(_primus_container_dry_run_inside --json)
  # Where the plan inside cannot be told, its message stands in its place.
  [[ $inner == '{'*'}' ]] || _primus_json_string inner "$inner"
  _primus_json_array value "${shown[@]}"
  printf '  "inside": %s,\n  "command": %s\n}\n' "$inner" "$value"
}
