"""One rank's way from a command line to a finished training."""
