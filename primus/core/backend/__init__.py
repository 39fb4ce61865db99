"""How a training framework is found, checked and entered."""
