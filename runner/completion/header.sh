# shellcheck shell=bash
# What a command's header comment, its help, tells about its arguments.

# Fills the associative arrays PLACEHOLDERS (option to what its value is called, empty for a flag) and ABOUT (option
# to description), and the array USAGES with the texts after `primus-cli NAME` of its usage lines.
_primus_completion_header() {
  local -n _pch_placeholders=$1 _pch_about=$2 _pch_usages=$3
  local file=$4 line='' name='' usage='' option=''
  local -a lines=()
  _pch_placeholders=() _pch_about=() _pch_usages=()
  [[ ${file##*/} == primus-cli ]] || name="${file##*/} "
  mapfile -t lines <"$file"
  for line in "${lines[@]:1}"; do
    [[ $line == '#'* ]] || return 0
    case $line in
      '# Usage:'*) usage=1 ;;
      '#') usage='' ;;
    esac
    if [[ -n $usage && $line == *"primus-cli $name"* ]]; then
      _pch_usages+=("${line#*"primus-cli $name"}")
    elif [[ $line =~ ^'#   '(--[a-z][a-z-]*)(' '([A-Z][^\ ]*))?(' '+(.*))?$ ]]; then
      _pch_placeholders["${BASH_REMATCH[1]}"]=${BASH_REMATCH[3]}
      option=${BASH_REMATCH[1]}
      _pch_about["$option"]=${BASH_REMATCH[5]}
    elif [[ -n $option && -z ${_pch_about["$option"]} ]]; then
      # A long name leaves no room for what it does in its own line.
      line=${line#'#'} && _pch_about["$option"]=${line#"${line%%[! ]*}"}
    fi
  done
}

# Cuts a usage line into what stands at each place, in RESULT_ARRAY: "=" and alternatives such as list|run, "?" and
# alternatives that may be left out, "^" and a placeholder such as GROUP, "--" and, inside of brackets, "[--".
_primus_completion_places() {
  local -n _pcp_result=$1
  local token='' word='' option=''
  local -i depth=0 inside=0
  local -a tokens=()
  _primus_split tokens ' ' "$2"
  _pcp_result=()
  for token in ${tokens[@]+"${tokens[@]}"}; do
    word=${token//[!\[]/}
    depth+=${#word}
    inside=$depth
    word=${token//[!\]]/}
    depth=$((depth - ${#word}))
    word=${token//[\[\]]/}
    word=${word%...}
    case $word in
      --) if ((inside)); then _pcp_result+=('[--'); else _pcp_result+=(--); fi ;;
      -*) option=1 && continue ;;
      *[!A-Z_]* | '')
        if [[ $word =~ ^[a-z|-]+$ ]] && ((inside == 0)); then
          _pcp_result+=("=$word")
        elif [[ $word =~ ^[a-z|-]+\|[a-z|-]+$ ]]; then
          _pcp_result+=("?$word")
        fi
        ;;
      *) [[ -n $option ]] || _pcp_result+=("^$word") ;;
    esac
    option=''
  done
}

# Puts into RESULT_ARRAY what the usage lines name at the place after the given words: alternatives, or a placeholder.
# Usage: _primus_completion_expected RESULT_ARRAY USAGES [WORD...]
_primus_completion_expected() {
  local -n _pce_result=$1 _pce_usages=$2
  local usage='' place=''
  local -i at=0
  local -a places=() words=()
  local -A seen=()
  shift 2
  _pce_result=()
  for usage in ${_pce_usages[@]+"${_pce_usages[@]}"}; do
    _primus_completion_places places "$usage"
    at=0
    for place in ${places[@]+"${places[@]}"}; do
      [[ $place != *-- ]] || break
      if ((at == $#)); then
        _primus_split words '|' "${place:1}"
        [[ -n ${seen["$place"]-} ]] || _pce_result+=("${words[@]}")
        seen["$place"]=1
        break
      fi
      at+=1
      [[ $place == ^* || "|${place:1}|" == *"|${*:at:1}|"* ]] || break
    done
  done
}

# Puts into RESULT_ARRAY the words that may come right after the `--` of a usage line, and into IMPLIED the command
# whose options may stand there without its name.
_primus_completion_after_dashes() {
  local -n _pcad_result=$1 _pcad_implied=$2 _pcad_usages=$3
  local usage='' place='' after=''
  local -a places=() words=()
  _pcad_result=() _pcad_implied=''
  for usage in ${_pcad_usages[@]+"${_pcad_usages[@]}"}; do
    [[ ! $usage =~ ' -- [options of '([a-z-]+)' --]' ]] || _pcad_implied=${BASH_REMATCH[1]}
    _primus_completion_places places "$usage"
    after=''
    for place in ${places[@]+"${places[@]}"}; do
      [[ $place != -- ]] || after=1
      [[ -n $after && $place == [=?]* ]] || continue
      _primus_split words '|' "${place:1}"
      _pcad_result+=("${words[@]}")
      [[ $place != =* ]] || break
    done
  done
}
