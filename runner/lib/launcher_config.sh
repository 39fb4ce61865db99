# shellcheck shell=bash
# The launcher's configuration: runner/defaults.yaml < ~/.primus.yaml < --config. Python reads it, and only where
# there is any; the same Python then checks the experiment. See primus/launcher_config.py.

# Puts the options that the files set for the command FILE before those in GIVEN (as primus_args_parse fills it), and
# applies their environment as its layer. CONFIG and VENV are what the command line says, or empty.
# Status: 0; 2 or 3 as the reading says.
_primus_launcher_config_read() {
  local -n _plcr_given=$2
  local config=$3 venv=$4 file=$1
  local -i status=0
  local -a files=() field=() below=()
  _primus_launcher_config_files files "$config"
  ((${#files[@]})) || return 0
  primus_python_find PRIMUS_PYTHON "$venv" || return
  _primus_launcher_config_start "$file" "${files[@]}" || return
  while mapfile -d '' -t -n 4 -u "$_primus_config_in" field && ((${#field[@]} == 4)); do
    case ${field[0]} in
      option) below+=("${field[@]:1}") ;;
      env) primus_env_apply launcher "${field[@]:1}" || return ;;
      end)
        _plcr_given=(${below[@]+"${below[@]}"} ${_plcr_given[@]+"${_plcr_given[@]}"})
        return 0
        ;;
    esac
  done
  wait "$_primus_config_pid" || status=$?
  unset _primus_config_in _primus_config_out
  return "$((status == 2 ? 2 : 3))"
}

_primus_launcher_config_files() {
  local -n _plcf_result=$1
  local root='' line=''
  local -a lines=()
  primus_root root
  _plcf_result=()
  [[ ! -r $root/runner/defaults.yaml ]] || mapfile -t lines <"$root/runner/defaults.yaml"
  for line in ${lines[@]+"${lines[@]}"}; do
    [[ ! $line =~ ^[[:space:]]*[^#[:space:]] ]] || {
      _plcf_result=("$root/runner/defaults.yaml")
      break
    }
  done
  [[ -z ${HOME-} || ! -e $HOME/.primus.yaml ]] || _plcf_result+=("$HOME/.primus.yaml")
  [[ -z $2 ]] || _plcf_result+=("$2")
}

# Starts the reading process with a pipe in each direction. bash closes a coprocess's own descriptors when it ends,
# whatever is still in them, so that copies are used.
_primus_launcher_config_start() {
  local root=''
  primus_root root
  declare -g _primus_config_in='' _primus_config_out='' _primus_config_pid='' _primus_config_python=$PRIMUS_PYTHON
  coproc _primus_config_process {
    primus_path_prepend PYTHONPATH "$root"
    exec "$PRIMUS_PYTHON" -m primus.launcher_config "$@"
  }
  # shellcheck disable=SC2154 # coproc sets it
  _primus_config_pid=$_primus_config_process_PID
  exec {_primus_config_in}<&"${_primus_config_process[0]}" {_primus_config_out}>&"${_primus_config_process[1]}" ||
    primus_fail fault "the process that reads the launcher's configuration ended at once" "try: $PRIMUS_PYTHON -m primus.launcher_config"
}

# Whether that process waits, under the interpreter of the launch. One under another interpreter is let go.
_primus_launcher_config_waits() {
  [[ -n ${_primus_config_out-} ]] || return 1
  [[ $_primus_config_python != "$PRIMUS_PYTHON" ]] || return 0
  _primus_launcher_config_end
  return 1
}

# Lets that process end, where it waits: it would outlive the launcher, which becomes the training.
_primus_launcher_config_end() {
  [[ -n ${_primus_config_out-} ]] || return 0
  local own_end=${_primus_config_process[1]-}
  exec {_primus_config_out}>&-
  [[ -z $own_end ]] || exec {own_end}>&-
  mapfile -d '' -t -u "$_primus_config_in" "${1:-_primus_config_rest}"
  exec {_primus_config_in}<&-
  unset _primus_config_in _primus_config_out _primus_config_rest
  wait "$_primus_config_pid"
}

# Lets it check the experiment: fills RECORDS from primus.plan with the other arguments.
# Status: that of primus.plan.
_primus_launcher_config_plan() {
  local name=''
  local -a changes=()
  # shellcheck disable=SC2154 # env.sh keeps it
  for name in "${!_primus_env_origin[@]}"; do [[ -z ${!name+set} ]] || changes+=("$name=${!name}"); done
  # In a subshell, for it may have ended: the launcher must outlive that.
  (printf '%s\0' "${#changes[@]}" "${changes[@]}" "${@:2}" >&"$_primus_config_out") 2>/dev/null || :
  _primus_launcher_config_end "$1"
}
