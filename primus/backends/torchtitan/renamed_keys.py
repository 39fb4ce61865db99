"""Keys of TorchTitan's configuration that changed their names, by the version that changed them.

Sources: torchtitan 0.1.0 ``config_manager.py``, 0.2.0 to 0.2.2 ``config/job_config.py``, 0.3.0 ``trainer.py`` and
``config/configs.py``. A section stands for all keys below it. More special entries come first.
"""

from __future__ import annotations

RENAMED_KEYS: tuple[tuple[str, str, str], ...] = (
    # old name, new name, the version that renamed it
    ("checkpoint.enable_checkpoint", "checkpoint.enable", "0.2.0"),
    ("checkpoint.initial_load_model_weights_only", "checkpoint.initial_load_model_only", "0.2.0"),
    ("checkpoint.last_save_model_weights_only", "checkpoint.last_save_model_only", "0.2.0"),
    ("training.compile", "compile.enable", "0.2.0"),
    ("job.print_args", "job.print_config", "0.2.0"),
    ("memory_estimation.enabled", "memory_estimation.enable", "0.2.0"),
    ("lr_scheduler.lr_min", "lr_scheduler.min_lr_factor", "0.2.0"),
    ("parallelism.pipeline_parallel_split_points", "parallelism.module_fqns_per_model_part", "0.2.0"),
    ("float8", "quantize.linear.float8", "0.2.0"),
    ("mx", "quantize.linear.mx", "0.2.0"),
    ("training.seed", "debug.seed", "0.2.1"),
    ("training.deterministic", "debug.deterministic", "0.2.1"),
    ("training.debug_moe_force_load_balance", "debug.moe_force_load_balance", "0.2.1"),
    ("training.dataset_path", "dataloader.dataset_path", "0.3.0"),
    ("training.dataset", "dataloader.dataset", "0.3.0"),
    ("job.dump_folder", "dump_folder", "0.3.0"),
    ("job.print_config", "debug.print_config", "0.3.0"),
    ("job.save_config_file", "debug.save_config_file", "0.3.0"),
    ("model.hf_assets_path", "hf_assets_path", "0.3.0"),
    ("parallelism.enable_async_tensor_parallel", "compile.enable_async_tensor_parallel", "0.3.0"),
    ("profiling", "profiler", "0.3.0"),
    ("validation", "validator", "0.3.0"),
    ("optimizer.lr", "optimizer.param_groups", "0.3.0"),
)
