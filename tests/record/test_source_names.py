"""Names of the files of a source: one spelling for those who write them and those who read them."""

from __future__ import annotations

from samerun.record import source_names as names


def test_a_name_is_a_group_and_a_label_that_may_hold_slashes() -> None:
    name = names.name_of(names.USER, "net/a.py")
    assert (name, names.group_of(name), names.label_of(name)) == ("user/net/a.py", "user", "net/a.py")


def test_every_group_is_of_the_identity_or_beside_it() -> None:
    assert {names.RULE, names.CHANGED} == names.BESIDE and not names.BESIDE & names.OF_IDENTITY
    assert set(names.GROUPS) >= set(names.OF_PROJECT)
