# shellcheck shell=bash
# Which variables go into the container. docs/containers.md holds the same lists.
# shellcheck disable=SC2154 # primus-cli container declares what is not declared here

# Names that begin with one of these are handed over.
_primus_container_prefixes() {
  printf '%s\n' PRIMUS_ SLURM_ SLURMD_ NCCL_ RCCL_ GLOO_ UCX_ FI_ MPI_ PMI_ NVSHMEM_ ROCSHMEM_ \
    CUDA_ CUDNN_ CUBLAS_ NVTE_ NVIDIA_TF32_ HSA_ HIP_ ROCR_ ROC_ GPU_ AMD_ MIOPEN_ HIPBLASLT_ ROCBLAS_ \
    TORCH_ TORCHELASTIC_ TORCHINDUCTOR_ TORCHDYNAMO_ PYTORCH_ TRITON_ XLA_ JAX_ TF_CPP_ TF_GPU_ TF_XLA_ TE_ \
    OMP_ MKL_ KMP_ OPENBLAS_ NUMEXPR_ HF_ HUGGINGFACE_ TRANSFORMERS_ TOKENIZERS_ WANDB_ MLFLOW_ TENSORBOARD_
}

_primus_container_names() {
  printf '%s\n' NNODES NODE_RANK GPUS_PER_NODE MASTER_ADDR MASTER_PORT BACKEND_PATH LOGLEVEL NO_COLOR TZ \
    AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL \
    PYTHONHASHSEED PYTHONUNBUFFERED PYTHONFAULTHANDLER PYTHONWARNINGS PYTHONDONTWRITEBYTECODE \
    http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
}

# These say something about this host alone, or belong to the launcher out here.
_primus_container_stays() {
  case $1 in
    PRIMUS_PYTHON | PRIMUS_ROOT | PRIMUS_SHELL_API | PRIMUS_LAUNCHER_PATH | PRIMUS_TEE_PIDS | PRIMUS_AGENT | PRIMUS_PLAN_*) ;;
    PRIMUS_IMAGE | PRIMUS_CONTAINER_* | CUDA_HOME | CUDA_PATH | ROCM_PATH | ROCM_HOME | HIP_PATH) ;;
    *) return 1 ;;
  esac
}

_primus_container_environment_save() {
  local -n _pces_before=$1
  local name=''
  while read -r name; do _pces_before["$name"]=${!name-}; done < <(compgen -e)
}

# Usage: _primus_container_environment RESULT_ARRAY [INSIDE...]
# Puts NAME=VALUE for each variable that goes along into RESULT_ARRAY: those that options and the launcher's
# configuration set, those of the lists, and those that the experiment file refers to. INSIDE is what runs there.
_primus_container_environment() {
  local -n _pce_result=$1
  local name='' layer='' prefix=''
  local -a prefixes=() names=()
  local -A chosen=()
  declare -gA _primus_env_origin
  shift
  mapfile -t prefixes < <(_primus_container_prefixes)
  mapfile -t names < <(_primus_container_names && _primus_container_mentioned "$@")
  for name in "${names[@]}"; do [[ -z ${!name+set} ]] || chosen["$name"]=1; done
  while read -r name; do
    for prefix in "${prefixes[@]}"; do
      [[ $name != "$prefix"* ]] || chosen["$name"]=1
    done
  done < <(compgen -e)
  for name in ${chosen[@]+"${!chosen[@]}"}; do
    ! _primus_container_stays "$name" || unset "chosen[$name]"
  done
  for name in ${_primus_env_origin[@]+"${!_primus_env_origin[@]}"}; do
    layer=${_primus_env_origin["$name"]%%:*}
    case $layer in env | env-file | launcher) chosen["$name"]=1 ;; esac
  done
  _pce_result=()
  while read -r name; do
    [[ -z $name ]] || _pce_result+=("$name=${!name-}")
  done < <(printf '%s\n' ${chosen[@]+"${!chosen[@]}"} | LC_ALL=C sort)
  mapfile -t names < <(compgen -e)
  layer=''
  for name in "${names[@]}"; do [[ -n ${chosen["$name"]-} ]] || layer+=" $name"; done
  primus_log debug "variables that stay outside:$layer"
}

# The variables that the experiment file refers to. What an image has its own of stays out.
_primus_container_mentioned() {
  local config='' line=''
  local -a lines=()
  _primus_container_argument config config "$@"
  [[ -f $config && -r $config ]] || return 0
  mapfile -t lines <"$config" 2>/dev/null || return 0
  for line in ${lines[@]+"${lines[@]}"}; do
    while [[ $line =~ \$\{([ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_][ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_]*) ]]; do
      line=${line#*"${BASH_REMATCH[0]}"}
      case ${BASH_REMATCH[1]} in
        HOME | PATH | PWD | SHELL | HOSTNAME | LD_* | PYTHON* | TMPDIR | XDG_*) ;;
        *) printf '%s\n' "${BASH_REMATCH[1]}" ;;
      esac
    done
  done
}

# Options of direct by which the variables of --env and --env-file keep their place above the experiment's and the
# hooks'. They hold names only.
_primus_container_env_words() {
  local -n _pcew_result=$1
  local name=''
  _pcew_result=()
  while read -r name; do
    [[ -n $name ]] || continue
    case ${_primus_env_origin["$name"]-} in env:* | env-file:*) _pcew_result+=("--env=$name") ;; esac
  done < <(printf '%s\n' ${_primus_env_origin[@]+"${!_primus_env_origin[@]}"} | LC_ALL=C sort)
}

# Gives this (sub)shell the environment back that the launcher was started with, for the runtime's client: a
# variable that is meant for the container may break a program out here.
_primus_container_environment_restore() {
  local name=''
  for name in ${_primus_env_origin[@]+"${!_primus_env_origin[@]}"}; do
    if [[ -n ${before["$name"]+set} ]]; then export "$name=${before["$name"]}"; else unset "$name"; fi
  done
}

# Gives this subshell the environment of the container, as far as this host knows it.
_primus_container_environment_enter() {
  local item=''
  local -a names=()
  mapfile -t names < <(compgen -e)
  for item in "${names[@]}"; do
    case $item in PATH | HOME | TMPDIR | LANG | LC_* | LD_*) ;; *) unset "$item" ;; esac
  done
  for item in ${environment[@]+"${environment[@]}"}; do export "${item?}"; done
}
