# shellcheck shell=bash
# A word as somebody typed it, without its quotes; nothing in it is expanded.

# Puts TEXT into RESULT without backslashes and quotes; a quote that is still open ends with the text.
_primus_completion_unquote() {
  local _pcu_text=$2 _pcu_out='' _pcu_char='' _pcu_quote=''
  local -i _pcu_i=0
  for ((_pcu_i = 0; _pcu_i < ${#_pcu_text}; _pcu_i++)); do
    _pcu_char=${_pcu_text:_pcu_i:1}
    case $_pcu_quote$_pcu_char in
      "''" | '""') _pcu_quote='' ;;
      "'" | '"') _pcu_quote=$_pcu_char ;;
      \\)
        _pcu_i+=1
        _pcu_out+=${_pcu_text:_pcu_i:1}
        ;;
      \"\\)
        # Between double quotes only these can be escaped.
        case ${_pcu_text:_pcu_i+1:1} in [\"\\\$\`]) _pcu_i+=1 ;; esac
        _pcu_out+=${_pcu_text:_pcu_i:1}
        ;;
      *) _pcu_out+=$_pcu_char ;;
    esac
  done
  printf -v "$1" '%s' "$_pcu_out"
}
