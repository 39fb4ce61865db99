# shellcheck shell=bash
# The one file that site scripts, hooks and batch scripts source: every function of the launcher. See README.md.

_primus_site_load() {
  local here=${BASH_SOURCE[0]} lib=''
  [[ $here == */* ]] || here=./$here
  here=${here%/*}
  for lib in accelerator accelerator_env api args dist dry_run env env_file env_options framework_hooks help \
    hook_failure hook_output hook_process hooks hooks_run hostlist interpreter json launch launch_env launcher_config \
    lock log log_file options pattern plan protocol python_tool rendezvous root run_dir secret_args secrets split \
    status streams suggest tool; do
    # shellcheck source=/dev/null
    source "$here/lib/$lib.sh"
  done
  # shellcheck source=runner/helpers/execute_hooks.sh
  source "$here/helpers/execute_hooks.sh"
}

_primus_site_load
unset -f _primus_site_load
