# shellcheck shell=bash
# Standard streams that are sure to be open.

# Opens those of the three that the caller closed: a pipe or a file opened later would take their place.
_primus_streams_open() {
  [[ -e /dev/fd/0 ]] || exec </dev/null
  [[ -e /dev/fd/1 ]] || exec >/dev/null
  [[ -e /dev/fd/2 ]] || exec 2>/dev/null
}
