# shellcheck shell=bash
# Defaults for the accelerators that this host has.

# Applies runner/helpers/envs/<vendor>.env as the lowest layer of the environment.
_primus_accelerator_env() {
  local root=''
  primus_root root
  [[ -z $1 || ! -f $root/runner/helpers/envs/$1.env ]] || primus_env_file_read "$root/runner/helpers/envs/$1.env" accelerator
}
