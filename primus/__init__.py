"""Launch and run training of large models with the framework of your choice."""
