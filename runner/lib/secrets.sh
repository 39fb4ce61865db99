# shellcheck shell=bash
# Keeps secrets out of everything the launcher shows or stores.

# Usage:   primus_secret_mask RESULT TEXT
# Does:    puts into RESULT the TEXT with *** in place of the values of environment variables whose names look
#          secret, of tokens whose form is known, and of passwords in addresses.
# Status:  0.
# Example: primus_secret_mask line "$line"; printf '%s\n' "$line" >>report.txt
primus_secret_mask() {
  local -a _psm_values=()
  _primus_secret_values _psm_values
  _primus_secret_mask_values _psm_values "$1" "${2-}"
}

# Fills RESULT_ARRAY with the values of exported variables whose names look secret, longest first: one may begin
# another. Shorter values ("1", "true") are no secrets, and masking them would make every text unreadable.
_primus_secret_values() {
  local - _psv_name='' _psv_value=''
  local -n _psv_result=$1
  local -i _psv_i=0
  local -a _psv_names=()
  set +xET
  _psv_result=()
  mapfile -t _psv_names < <(compgen -e)
  for _psv_name in ${_psv_names[@]+"${_psv_names[@]}"}; do
    _primus_secret_name "$_psv_name" || continue
    _psv_value=${!_psv_name-}
    ((${#_psv_value} >= 6)) || continue
    for ((_psv_i = ${#_psv_result[@]}; _psv_i > 0; _psv_i--)); do
      ((${#_psv_result[_psv_i - 1]} < ${#_psv_value})) || break
      _psv_result[_psv_i]=${_psv_result[_psv_i - 1]}
    done
    _psv_result[_psv_i]=$_psv_value
  done
}

# Puts TEXT into RESULT, without the values in the array VALUES and without what looks like a secret by its form.
_primus_secret_mask_values() {
  local - _psmv_text=$3 _psmv_value='' _psmv_match=''
  local -n _psmv_values=$1
  set +xET
  for _psmv_value in ${_psmv_values[@]+"${_psmv_values[@]}"}; do
    _psmv_text=${_psmv_text//"$_psmv_value"/"***"}
  done
  while [[ $_psmv_text =~ (hf_|gh[pousr]_|github_pat_|sk-|xox[abprs]-|AKIA|glpat-)[A-Za-z0-9_-]{16,} ||
    $_psmv_text =~ ://[^/@:[:space:]]*:[^/@*[:space:]][^/@[:space:]]*@ ]]; do
    _psmv_match=${BASH_REMATCH[0]}
    if [[ $_psmv_match == ://* ]]; then
      _psmv_text=${_psmv_text//"$_psmv_match"/"${_psmv_match%:*}:***@"}
    else
      _psmv_text=${_psmv_text//"$_psmv_match"/"***"}
    fi
  done
  printf -v "$2" '%s' "$_psmv_text"
}

# Whether a variable, an option or a key holds a secret, going by its name. Token is a word of the trade as well.
_primus_secret_name() {
  local name=${1^^}
  name=_${name//[!ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789]/_}_
  case $name in
    *_BOS_TOKEN_ | *_EOS_TOKEN_ | *_PAD_TOKEN_ | *_UNK_TOKEN_ | *_SEP_TOKEN_ | *_CLS_TOKEN_ | *_MASK_TOKEN_ | *_IMAGE_TOKEN_ | *_PER_TOKEN_)
      [[ $1 == "${1^^}" ]]
      ;;
    *_TOKEN_ | *_SECRET_* | *_SECRETS_ | *_PASSWORD_* | *_PASSWD_* | *_PASSPHRASE_* | *_CREDENTIAL_* | *_CREDENTIALS_) ;;
    *_API_KEY_* | *_APIKEY_* | *_ACCESS_KEY_* | *_PRIVATE_KEY_* | *_ACCOUNT_KEY_* | *_ENCRYPTION_KEY_*) ;;
    *_AUTH_ | *_AUTH_KEY_* | *_AUTHKEY_* | *_AUTHORIZATION_ | *_BEARER_ | *_COOKIE_ | *_DSN_) ;;
    _*[!_]_PWD_) ;; # not PWD alone, which is the working directory
    *) return 1 ;;
  esac
}
