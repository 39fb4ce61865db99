"""A hook in Python: hands an argument to the training when the site's index of data sets is there."""

from pathlib import Path

from primus.hooks import extra

INDEX = Path("/site/datasets/index.json")

if INDEX.is_file():
    extra("training.dataset_path", INDEX.parent)
else:
    print(f"no {INDEX}: training.dataset_path stays as it is")
