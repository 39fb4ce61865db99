# shellcheck shell=bash
# What the container is made of.

# Usage: _primus_container_image_check OPTIONS RUNTIME KIND
# Status: 0; 2 when nothing or two things are named; 3 when it is not there and may not be fetched.
_primus_container_image_check() {
  local -n _pcic_options=$1
  local image=${_pcic_options["--image"]-} rootfs=${_pcic_options["--rootfs"]-} pull=${_pcic_options["--pull"]-}
  if [[ -n $rootfs ]]; then
    [[ $3 == podman ]] || primus_fail usage "--rootfs is podman's, and the runtime is $2" "give primus-cli container an --image" || return
    # One that was only set in the environment gives way to what the command line says.
    [[ -z $image || ${_pcic_options["--image.origin"]} != --image ]] ||
      primus_fail usage "--image and --rootfs both say what the container is made of" "leave out one of them for primus-cli container" || return
    _pcic_options["--image"]=''
    [[ -d ${rootfs%:O} ]] || primus_fail environment "there is no folder ${rootfs%:O} (--rootfs)" "correct --rootfs of primus-cli container"
    return
  fi
  [[ -n $image ]] || primus_fail usage "no image was given" "primus-cli container --image IMAGE, or set PRIMUS_IMAGE" || return
  case $pull in
    '' | always | missing | newer | never) ;;
    *) primus_fail usage "--pull is \"$pull\"" "always, missing, newer and never are what primus-cli container knows" || return ;;
  esac
  if [[ $3 == apptainer ]]; then
    [[ $image == *://* || -e $image ]] ||
      primus_fail environment "there is no image $image" "give primus-cli container the path of an image, or docker://NAME" || return
  elif [[ $pull == never ]] && ! "$2" image inspect "$image" >/dev/null 2>&1 </dev/null; then
    primus_fail environment "the image $image is not on this host, and --pull is never" "fetch it with ${2##*/} pull $image, or leave out --pull for primus-cli container"
  fi
}

# Puts what follows the options into RESULT_ARRAY: the image and, where it is not the entry point, bash.
_primus_container_image_words() {
  local -n _pciw_result=$1 _pciw_options=$2
  _pciw_result=("${_pciw_options["--image"]-}")
  [[ -z ${_pciw_options["--rootfs"]-} ]] || _pciw_result=(--rootfs "${_pciw_options["--rootfs"]}")
  [[ $3 != apptainer ]] || _pciw_result+=(bash)
}
