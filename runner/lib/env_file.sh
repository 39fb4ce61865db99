# shellcheck shell=bash
# Files of NAME=VALUE lines: data, never executed.

# Usage:   primus_env_file_read FILE LAYER
# Does:    applies each line NAME=VALUE of FILE as the given layer of the environment. VALUE is the rest of the
#          line, verbatim: quotes and $ mean nothing. Empty lines and lines that begin with # are left out.
# Streams: stderr, what is wrong.
# Status:  0; 2 for a line that is neither; 3 when FILE cannot be read.
# Example: primus_env_file_read cluster.env env-file
primus_env_file_read() {
  local file=$1 layer=$2 line='' name='' value=''
  local -i number=0
  local -a lines=()
  [[ -f $file || -p $file ]] || primus_fail environment "there is no environment file $file" "give a file of NAME=VALUE lines" || return
  [[ -r $file ]] || primus_fail environment "the environment file $file cannot be read" "check its permissions" || return
  mapfile -t lines <"$file"
  for line in ${lines[@]+"${lines[@]}"}; do
    number+=1
    line=${line%$'\r'}
    [[ -n ${line//[[:space:]]/} && $line != '#'* ]] || continue
    name=${line%%=*} value=${line#*=}
    if [[ $line != *=* ]] || ! primus_is_identifier "$name"; then
      primus_fail usage "$file:$number: not a line NAME=VALUE" "the file is data: no export, no spaces around =, # begins a comment line" || return
    fi
    case $value in
      \"*\" | \'*\') primus_log warning "$file:$number: the quotes become part of $name" ;;
    esac
    primus_env_apply "$layer" "$name" "$value" "$file:$number" || return
  done
}
