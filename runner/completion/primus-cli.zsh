# Completes primus-cli in zsh: source <(primus-cli completion zsh)

_primus_cli() {
  emulate -L zsh
  local record text about
  local -a records whole whole_shown parts parts_shown files folders
  records=("${(@0)$("$_primus_cli_launcher" completion words "${(@)words[2,CURRENT-1]}" "$PREFIX" </dev/null 2>/dev/null)}")
  # What stands before the value is taken as given, so that only the rest is listed and quoted.
  local cut=
  if compset -P 1 '*='; then cut=1; fi
  compset -P '\~/'
  for record in $records; do
    text=${record[2,-1]%%$'\t'*} about=${record#*$'\t'}
    [[ -z $cut ]] || text=${text#*=}
    text=${text#\~/}
    case $record in
      w*) whole+=("$text") whole_shown+=("$text${about:+  -- $about}") ;;
      p*) parts+=("$text") parts_shown+=("$text${about:+  -- $about}") ;;
      f*/) folders+=("$text") ;;
      f*) files+=("$text") ;;
    esac
  done
  (( ! $#whole )) || compadd -l -d whole_shown -a whole
  (( ! $#parts )) || compadd -l -S '' -d parts_shown -a parts
  (( ! $#folders )) || compadd -f -S '' -a folders
  (( ! $#files )) || compadd -f -a files
}

if (( ! $+functions[compdef] )); then
  autoload -Uz compinit && compinit
fi
compdef _primus_cli primus-cli
