# shellcheck shell=bash
# The command line of primus-cli slurm: which words are ours, which are Slurm's, and what runs on the nodes.

# Usage: primus_slurm_args_split FILE PARTS [ARGUMENT...]
# Fills the arrays PARTS_own (options that FILE declares), PARTS_words (the words before any flag of Slurm: what to
# do), PARTS_flags (Slurm's, verbatim) and PARTS_rest (what follows the first `--`).
# Status: 0; 2 for a mistyped option of ours, or one without its value.
primus_slurm_args_split() {
  local -n _psas_own=$2_own _psas_words=$2_words _psas_flags=$2_flags _psas_rest=$2_rest
  local word='' name='' file=$1
  # shellcheck disable=SC2034 # which variables go with them does not matter here
  local -A variables=()
  local -A kinds=([--help]=flag)
  _primus_help_options kinds variables "$file"
  _psas_own=() _psas_words=() _psas_flags=() _psas_rest=()
  shift 2
  while (($#)); do
    word=$1
    shift
    name=${word%%=*}
    name=${name//_/-}
    case $word in
      --)
        _psas_rest=("$@")
        return 0
        ;;
      -h) _psas_own+=(--help) ;;
      --*)
        if [[ ${kinds["$name"]-} == flag && $word == *=* ]] || [[ $name == --wait && ${_psas_words[0]-} != sbatch ]]; then
          # srun has a --wait of its own, with a value.
          _psas_flags+=("$word")
        elif [[ ${kinds["$name"]-} == flag || (-n ${kinds["$name"]-} && $word == *=*) ]]; then
          _psas_own+=("$word")
        elif [[ -n ${kinds["$name"]-} ]]; then
          (($#)) && [[ $1 != -- ]] || primus_fail usage "$name needs a value" "see primus-cli slurm --help" || return
          _psas_own+=("$word" "$1")
          shift
        else
          _primus_slurm_args_known "$name" "${!kinds[@]}" || return
          _psas_flags+=("$word")
        fi
        ;;
      -*) _psas_flags+=("$word") ;;
      *) if ((${#_psas_flags[@]})); then _psas_flags+=("$word"); else _psas_words+=("$word"); fi ;;
    esac
  done
}

# A word that is nearly one of our options and none of Slurm's is a slip; everything else is Slurm's to judge.
_primus_slurm_args_known() {
  local name=$1 nearest='' line=''
  shift
  primus_suggest nearest "$name" "$@"
  [[ -n $nearest ]] || return 0
  while read -r line; do
    [[ $line != *"$name"* ]] || return 0
  done < <({ srun --help && sbatch --help && salloc --help; } 2>/dev/null </dev/null)
  primus_fail usage "unknown option $name" "did you mean $nearest? see primus-cli slurm --help"
}

# Usage: primus_slurm_args_inner PARTS [WORD...]
# Takes the words after our `--` apart: PARTS_mode (direct or container), PARTS_options (those of that mode) and
# PARTS_train (from the train command on).
# Status: 0; 2 when there is nothing to run.
primus_slurm_args_inner() {
  local -n _psai_mode=$1_mode _psai_options=$1_options _psai_train=$1_train
  _psai_mode=direct _psai_options=() _psai_train=()
  shift
  if [[ ${1-} == direct || ${1-} == container ]]; then
    _psai_mode=$1
    shift
    while (($#)) && [[ $1 != -- ]]; do
      _psai_options+=("$1")
      shift
    done
    (($#)) || primus_fail usage "$_psai_mode needs -- before the train command" "primus-cli slurm srun -N2 -- $_psai_mode [options] -- train pretrain --config FILE" || return
    shift
  fi
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _psai_train=("$@")
  (($#)) || primus_fail usage "there is nothing to run" "primus-cli slurm [srun|sbatch|salloc] [Slurm's flags] -- train pretrain --config FILE"
}

# Usage: primus_slurm_flag_find RESULT NAME LETTER [FLAG...]
# Puts into RESULT the last value that the flags give to --NAME or -LETTER, in any of Slurm's forms.
# Status: 0; 1 when none of them is there.
primus_slurm_flag_find() {
  local _psff_result=$1 _psff_name=$2 _psff_letter=$3 _psff_found='' _psff_word=''
  shift 3
  while (($#)); do
    _psff_word=$1
    shift
    case $_psff_word in
      "--$_psff_name="*) _psff_found=1 && printf -v "$_psff_result" '%s' "${_psff_word#*=}" ;;
      "--$_psff_name") _psff_found=1 && printf -v "$_psff_result" '%s' "${1-}" ;;
      -"${_psff_letter:-/}") _psff_found=1 && printf -v "$_psff_result" '%s' "${1-}" ;;
      -"${_psff_letter:-/}"*) [[ $_psff_word == --* ]] || { _psff_found=1 && printf -v "$_psff_result" '%s' "${_psff_word#"-$_psff_letter"}"; } ;;
    esac
  done
  [[ -n $_psff_found ]]
}
