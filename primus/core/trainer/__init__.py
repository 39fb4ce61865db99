"""The lifecycle that every backend's trainer follows."""
