# shellcheck shell=bash
# Keeps secrets out of everything the launcher shows or stores.

# Usage:   primus_secret_mask RESULT TEXT
# Does:    puts into RESULT the TEXT with *** in place of the values of environment variables whose names look
#          secret, of tokens whose form is known, and of passwords in addresses.
# Status:  0.
# Example: primus_secret_mask line "$line"; printf '%s\n' "$line" >>report.txt
primus_secret_mask() {
  local - _psm_text=${2-} _psm_name='' _psm_value='' _psm_match=''
  local -a _psm_names=()
  set +xET
  mapfile -t _psm_names < <(compgen -e)
  for _psm_name in ${_psm_names[@]+"${_psm_names[@]}"}; do
    _primus_secret_name "$_psm_name" || continue
    _psm_value=${!_psm_name-}
    # Shorter values ("1", "true") are no secrets, and masking them would make every text unreadable.
    ((${#_psm_value} < 6)) || _psm_text=${_psm_text//"$_psm_value"/"***"}
  done
  while [[ $_psm_text =~ (hf_|gh[pousr]_|github_pat_|sk-|xox[abprs]-|AKIA|glpat-)[A-Za-z0-9_-]{16,} ||
    $_psm_text =~ ://[^/@:[:space:]]*:[^/@*[:space:]][^/@[:space:]]*@ ]]; do
    _psm_match=${BASH_REMATCH[0]}
    if [[ $_psm_match == ://* ]]; then
      _psm_text=${_psm_text//"$_psm_match"/"${_psm_match%:*}:***@"}
    else
      _psm_text=${_psm_text//"$_psm_match"/"***"}
    fi
  done
  printf -v "$1" '%s' "$_psm_text"
}

# Whether a variable, an option or a key holds a secret, going by its name.
_primus_secret_name() {
  local name=${1^^}
  name=_${name//[!ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789]/_}_
  case $name in
    *_TOKEN_ | *_SECRET_* | *_SECRETS_ | *_PASSWORD_* | *_PASSWD_* | *_PASSPHRASE_* | *_CREDENTIAL_* | *_CREDENTIALS_) ;;
    *_API_KEY_* | *_APIKEY_* | *_ACCESS_KEY_* | *_PRIVATE_KEY_* | *_SECRET_KEY_* | *_AUTH_KEY_* | *_AUTHKEY_*) ;;
    *) return 1 ;;
  esac
}

# Usage:   primus_secret_mask_args RESULT_ARRAY ARGUMENT...
# Does:    copies the arguments, with *** for the value of every option or key whose name looks secret, and
#          everything that primus_secret_mask finds.
# Status:  0.
# Example: primus_secret_mask_args shown "$@"; printf '%q ' "${shown[@]}"
primus_secret_mask_args() {
  local -n _psma_result=$1
  local _psma_arg='' _psma_key='' _psma_next=''
  _psma_result=()
  shift
  for _psma_arg; do
    _psma_key=${_psma_arg%%=*}
    if [[ -n $_psma_next && $_psma_arg != -* ]]; then
      _psma_arg='***'
    elif [[ $_psma_arg == *=* ]] && _primus_secret_name "${_psma_key##*.}"; then
      _psma_arg="$_psma_key=***"
    else
      primus_secret_mask _psma_arg "$_psma_arg"
    fi
    _psma_next=''
    [[ $_psma_arg == --* && $_psma_arg != *=* ]] && _primus_secret_name "${_psma_key##*.}" && _psma_next=1
    _psma_result+=("$_psma_arg")
  done
}
