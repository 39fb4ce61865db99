"""One package for each training framework; each registers its adapter when it is imported."""
