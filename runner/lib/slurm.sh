# shellcheck shell=bash
# Everything that primus-cli slurm needs beside site.sh.

_primus_slurm_load() {
  local here=${BASH_SOURCE[0]} lib=''
  [[ $here == */* ]] || here=./$here
  for lib in args batch check dry_run flags jobs node outcome record script secrets step submit sweep; do
    # shellcheck source=/dev/null
    source "${here%/*}/slurm_$lib.sh"
  done
}

_primus_slurm_load
unset -f _primus_slurm_load
