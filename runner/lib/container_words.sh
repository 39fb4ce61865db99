# shellcheck shell=bash
# Which words of the command line are ours, and which are the container runtime's.

# Usage: _primus_container_words_sort FILE OWN REST [ARGUMENT...]
# OWN becomes the options that the command FILE declares, each as --name=value, with every word of the runtime's as
# --pass=WORD in its order. REST becomes what follows the first `--`.
# Status: 0; 2 for a word that can be neither.
_primus_container_words_sort() {
  local -n _pcws_own=$2 _pcws_rest=$3
  local file=$1 word='' name='' before=''
  # shellcheck disable=SC2034 # not needed here
  local -A variables=()
  local -A kinds=([--help]=flag) short=([-v]=--volume [-e]=--env [-u]=--user [-w]=--workdir)
  _primus_help_options kinds variables "$file"
  shift 3
  while (($#)); do
    word=$1
    shift
    case $word in
      --)
        _pcws_rest=("$@")
        return 0
        ;;
      -h) word=--help ;;
      -[veuw]) word=${short["$word"]} ;;
      -[veuw]?*)
        name=${short["${word:0:2}"]} word=${word:2}
        word=$name=${word#=}
        ;;
    esac
    name=${word%%=*}
    [[ $name != --?* ]] || name=--${name:2:1}${name:3}
    [[ $name != --?* ]] || name=${name//_/-}
    case ${kinds["$name"]-} in
      flag)
        _pcws_own+=("$name${word#"${word%%=*}"}") before=''
        [[ $name != --help ]] || return 0
        ;;
      value | list)
        if [[ $word != *=* ]]; then
          (($#)) && [[ $1 != -- ]] || primus_fail usage "$name needs a value" "see primus-cli container --help" || return
          word=$name=$1
          shift
        fi
        _pcws_own+=("$name=${word#*=}") before=''
        ;;
      *)
        _primus_container_word_foreign || return
        ;;
    esac
  done
}

# A word that is none of ours: an option of the runtime, or the value of the one before it.
_primus_container_word_foreign() {
  local -a same=()
  case $name in
    --detach | -d | -d[it] | -d[it][it] | -[it]d | -[it]d[it] | -[it][it]d) _primus_container_word_refuse "a launch waits for its training, whose status it returns" || return ;;
    --tty | -t | -it | -ti) _primus_container_word_refuse "training has no terminal" || return ;;
    --entrypoint) _primus_container_word_refuse "primus-cli itself is what starts in the container" || return ;;
    --rm | -i | --interactive) before='' && return 0 ;;
    --cidfile | --sig-proxy | -a | --attach | --restart | --replace) _primus_container_word_refuse "the launcher sees to this itself" || return ;;
    -*)
      _primus_container_word_nearest same
      ((${#same[@]} == 0)) ||
        primus_fail usage "unknown option $name" "did you mean ${same[0]}? An option of the runtime's that is so named goes as --pass=$name; see primus-cli container --help" || return
      before=$word
      # These take no value: a word behind one of them is a stray one.
      case $name in
        *=* | -P | -q | --privileged | --init | --read-only | --env-host | --no-hosts | --no-healthcheck | --oom-kill-disable | --publish-all | --rmi | --unsetenv-all) before='' ;;
      esac
      ;;
    *)
      [[ -n $before ]] ||
        primus_fail usage "stray word \"$word\"" "the image is given as --image, and what to run after -- ; see primus-cli container --help" || return
      before=''
      ;;
  esac
  _pcws_own+=("--pass=$word")
}

_primus_container_word_refuse() {
  primus_fail usage "$name cannot be used: $1" "leave it out of primus-cli container"
}

# One of ours that was mistyped: a letter or two away. --cpus is the runtime's.
_primus_container_word_nearest() {
  local -n _pcwn_result=$1
  local nearest='' distance=0
  [[ $name == --?* && $name != --cpus ]] || return 0
  primus_suggest nearest "$name" "${!kinds[@]}"
  [[ -n $nearest ]] || return 0
  _primus_edit_distance distance "$name" "$nearest"
  ((distance > (${#name} >= 8 ? 2 : 1))) || _pcwn_result=("$nearest")
}
