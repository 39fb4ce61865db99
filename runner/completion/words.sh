# shellcheck shell=bash
# What may stand at the end of a command line, told from the commands' own help.

# Prints NUL-terminated records, a letter and a text: w a word that is complete and p one that goes on, each with a
# description after a tab; f a file.
# Usage: _primus_completion_words ROOT WORD..., the words after primus-cli as typed, the last one to be completed.
_primus_completion_words() {
  local root=$1 scope='' current='' word='' awaits='' after='' implied=''
  local -i i=0
  # shellcheck disable=SC2034 # functions fill and read usages by its name
  local -a words=() positionals=() usages=() expected=()
  local -A placeholders=() about=() given=()
  for word in "${@:2}"; do
    _primus_completion_unquote word "$word"
    words+=("$word")
  done
  current=${words[-1]}
  unset 'words[-1]'
  _primus_completion_enter "$root/primus-cli"
  for ((i = 0; i < ${#words[@]}; i++)); do
    word=${words[i]}
    case $word in
      --)
        after=1 positionals=()
        _primus_completion_after_dashes expected implied usages
        ;;
      -*)
        [[ -z $after || -z $implied ]] || _primus_completion_enter "$root/runner/commands/$implied"
        [[ $word != *=* && -n ${placeholders["${word//_/-}"]-} ]] || continue
        awaits=${word//_/-}
        ((i + 1 < ${#words[@]})) || break
        i+=1
        given["$awaits"]=${words[i]} awaits=''
        ;;
      *)
        if [[ -n $after || ${scope##*/} == primus-cli ]]; then
          _primus_completion_command "$word" ${words[@]+"${words[@]:i+1}"} || return 0
        else
          positionals+=("$word")
        fi
        ;;
    esac
  done
  if [[ -n $after && -n $implied && $current == -* ]]; then _primus_completion_enter "$root/runner/commands/$implied"; fi
  if [[ -n $awaits ]]; then
    _primus_completion_value "$awaits" '' "$current"
  elif [[ $current == --*=* ]]; then
    _primus_completion_value "${current%%=*}" "${current%%=*}=" "${current#*=}"
  else
    _primus_completion_next
  fi
}

# From here on the words are those of another command.
_primus_completion_enter() {
  # shellcheck disable=SC2034 # other files read given
  scope=$1 after='' implied='' given=()
  _primus_completion_header placeholders about usages "$1"
}

# Takes up the command NAME with its words.
# Status: 0; 1 when nothing is left to be done: somebody else has answered, or nobody can.
_primus_completion_command() {
  if [[ -n $after && $1 == train ]]; then
    _primus_completion_train "${@:2}" "$current"
    return 1
  fi
  _primus_is_folder_name "$1" && [[ -f $root/runner/commands/$1 ]] || return 1
  _primus_completion_enter "$root/runner/commands/$1"
  # A command that declares nothing is written in Python, and so is its help.
  ((${#placeholders[@]} == 0)) && [[ -f $root/primus/tools/$1.py ]] || return 0
  _primus_completion_ask tool "$@" "$current"
  return 1
}

# The next word where no option waits for its value.
_primus_completion_next() {
  local -a before=()
  # shellcheck disable=SC2034 # not needed here
  local word='' other=''
  if [[ -z $after ]]; then
    expected=()
    [[ $current == -* ]] || _primus_completion_expected expected usages ${positionals[@]+"${positionals[@]}"}
  fi
  if ((${#expected[@]})); then
    for word in "${expected[@]}"; do
      case $word in
        COMMAND) _primus_completion_commands ;;
        GROUP) mapfile -t before < <(_primus_completion_hook_folders '') ;;
        NAME) mapfile -t before < <(_primus_is_folder_name "${positionals[-1]}" && _primus_completion_hook_folders "${positionals[-1]}") ;;
        [[:upper:]]*) ;;
        *) _primus_completion_word "$word" ;;
      esac
    done
    for word in ${before[@]+"${before[@]}"}; do _primus_completion_word "$word"; done
  elif [[ -z $after ]]; then
    _primus_completion_after_dashes before other usages
    ((${#before[@]} == 0)) || _primus_completion_word -- "then: ${before[*]}"
    while IFS= read -r word; do
      _primus_completion_word "$word" "${about["$word"]}"
    done < <(printf '%s\n' "${!placeholders[@]}" | LC_ALL=C sort)
  fi
}
