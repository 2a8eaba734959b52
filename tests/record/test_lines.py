from __future__ import annotations

import pytest

from samerun.record.lines import SHOWN, line_diff

BASE = b"import a\n\nrate = 0.1  # slow\n\n\ndef step(x):\n    y = x + 1\n    return y\n"


def changed(*pairs: tuple[bytes, bytes]) -> bytes:
    text = BASE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_one_changed_line_is_shown_with_its_number_and_neighbours() -> None:
    found = line_diff(BASE, changed((b"x + 1", b"x + 2")), counts=True)
    assert (found.where, found.more, found.left_out, found.reason) == ("line 7 changed", 0, 0, None)
    assert found.lines == ("@@ -7,1 +7,1 @@", " def step(x):", "-    y = x + 1", "+    y = x + 2", "     return y")


def test_a_comment_before_the_change_is_not_taken_for_it() -> None:
    found = line_diff(BASE, changed((b"# slow", b"# fast"), (b"x + 1", b"x + 2")), counts=True)
    assert (found.where, found.more) == ("line 7 changed", 0)
    assert not any("fast" in line for line in found.lines)


def test_comments_are_shown_where_nothing_else_differs() -> None:
    found = line_diff(BASE, changed((b"# slow", b"# fast")), counts=False)
    assert found.where == "line 3 changed" and "+rate = 0.1  # fast" in found.lines


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (b"    return y\n", b"    y *= 2\n    return y\n", "line 8 added"),
        (b"    y = x + 1\n", b"", "line 7 removed"),
        (b"    y = x + 1\n    return y\n", b"    y = x\n    return -y\n", "lines 7-8 changed"),
    ],
)
def test_the_place_is_named_in_words(old: bytes, new: bytes, where: str) -> None:
    assert line_diff(BASE, changed((old, new)), counts=True).where == where


def test_several_places_are_counted() -> None:
    found = line_diff(BASE, changed((b"0.1", b"0.2"), (b"x + 1", b"x + 2")), counts=True)
    assert (found.where, found.more) == ("line 3 changed", 1)


def test_a_change_that_counts_only_together_is_shown_whole() -> None:
    a = b"def f(x):\n    return (x +\n        1)\n"
    b = b"def f(x):\n    return [x +\n        1]\n"
    assert line_diff(a, b, counts=True).where is not None


def test_a_long_line_is_cut_so_that_what_differs_is_seen() -> None:
    a, b = (f"names = ['{'x' * 300}', '{end}', '{'y' * 300}']\n".encode() for end in ("cat", "dog"))
    found = line_diff(a, b, counts=True)
    assert found.first is not None and "'cat'" in str(found.first.old) and "'dog'" in str(found.first.new)
    (removed,), (added,) = ([line for line in found.lines if line[0] == sign] for sign in "-+")
    assert "'cat'" in removed and "'dog'" in added
    assert max(map(len, found.lines)) <= 160 and removed.startswith("-...xxx") and removed.endswith("yyy...")


def test_long_differences_and_long_lines_are_cut_and_counted() -> None:
    a = "\n".join(f"a{number} = {number}" for number in range(100)).encode()
    b = "\n".join(f"b{number} = '{'x' * 300}'" for number in range(100)).encode()
    found = line_diff(a, b, counts=True)
    assert len(found.lines) == SHOWN and found.left_out == 201 - SHOWN
    assert max(map(len, line_diff(b"x = 1", b"x = '" + b"y" * 400 + b"'", counts=True).lines)) == 160


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (b"\xff\xfe", b"x", "not a text"),
        (b"a\0", b"x", "not a text"),
        (b"x\n", b"x\r\n", "other line ends"),
        (b"x\n" * 3000, b"y\n" * 3000, "too many lines"),
    ],
)
def test_what_cannot_be_shown_has_a_reason(a: bytes, b: bytes, reason: str) -> None:
    found = line_diff(a, b, counts=True)
    assert found.lines == () and found.where is None and reason in str(found.reason)
