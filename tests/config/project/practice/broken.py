"""A module that cannot be imported."""

raise RuntimeError("a mistake of the user")
