"""What every backend shares. Imports the standard library, PyYAML and packaging alone."""
