"""Will I get the same run twice? See README.md; the public names are listed in `__all__`."""
