"""A project of a user, with a trainer and parts of its own; it needs no torch."""
