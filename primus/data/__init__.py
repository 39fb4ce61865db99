"""Training text that needs no download: from a user's own files, or from files every Python has."""
