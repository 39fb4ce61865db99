# shellcheck shell=bash
# Prints what fits at one place. What the line holds besides is in the variables of _primus_completion_words.
# shellcheck disable=SC2154 # see above

# The values of an option of the command; HEAD is what stands before it in the same word.
_primus_completion_value() {
  local name=${1//_/-} head=$2 typed=$3 value=''
  local -a values=()
  case $name:${placeholders["$name"]-} in
    --config:?*)
      value=yaml
      [[ ${about["$name"]} != *experiment* ]] || value=experiment
      _primus_completion_files "$root" "$value" "$head" "$typed"
      ;;
    --framework:?*)
      mapfile -d '' -t values < <(current='' && _primus_completion_ask frameworks)
      for value in ${values[@]+"${values[@]%%$'\t'*}"}; do _primus_completion_word "$head${value:1}"; done
      ;;
    --only:?*)
      ((${#positionals[@]} < 3)) || mapfile -t values < <(_primus_completion_hook_names "${positionals[@]:1:2}" "${given[--framework]-}")
      for value in ${values[@]+"${values[@]}"}; do _primus_completion_word "$head$value"; done
      ;;
    *:FILE*) _primus_completion_files "$root" any "$head" "$typed" ;;
    *:DIR*) _primus_completion_files "$root" folder "$head" "$typed" ;;
  esac
}

# The commands with their summaries.
_primus_completion_commands() {
  local file=''
  for file in "$root"/runner/commands/*; do
    [[ ! -f $file || ${file##*/} == *.* ]] || _primus_completion_word "${file##*/}" "$(_primus_help_summary "$file")"
  done
}

# The words after train: a stage, then what Python knows.
_primus_completion_train() {
  if (($# == 1)); then
    _primus_completion_word pretrain
    _primus_completion_word posttrain
  else
    _primus_completion_ask train "$@"
  fi
}

_primus_completion_word() {
  [[ $1 != "$current"* ]] || printf 'w%s\t%s\0' "$1" "${2-}"
}

# Asks primus/tools/completion.py. The working directory is kept off its search path: a TAB must not run what lies
# there by chance.
_primus_completion_ask() {
  local python='' record=''
  primus_python_find python || return 0
  while IFS= read -r -d '' record; do
    case $record in
      f*)
        record=${record#f}
        _primus_completion_files "$root" "${record%%$'\t'*}" "${record#*$'\t'}" "${current#"${record#*$'\t'}"}"
        ;;
      *) printf '%s\0' "$record" ;;
    esac
  done < <("$python" -c 'import sys; sys.path[:] = [sys.argv.pop(1), *filter(None, sys.path)]; from primus.tools.completion import main; sys.exit(main())' "$root" "$@")
}
