"""Helpers with published names: the distributed environment and rank-aware logging."""
