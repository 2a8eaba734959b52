"""A section shows a secret where a line of it holds a part of one; what stands elsewhere in the file is not shown."""

from __future__ import annotations

import difflib

from samerun.record.git.shown import shows_secret, shows_secret_itself

FAR = "".join(f"x{number} = {number}\n" for number in range(30))
SECRET = 'PASSWORD = (\n    "hunter2hunter2"\n)\n'


def section(before: str, after: str, heading: str = "") -> bytes:
    lines = list(difflib.unified_diff(before.splitlines(True), after.splitlines(True), "a/x.py", "b/x.py"))
    told = [f"{line.rstrip()} {heading}\n" if line.startswith("@@") else line for line in lines]
    return "".join(["diff --git a/x.py b/x.py\n", *told]).encode()


def shown(before: str, after: str, heading: str = "") -> bool:
    return shows_secret("x.py", section(before, after, heading), before.encode(), after.encode())


def test_a_secret_on_either_side_or_beside_the_change_is_shown() -> None:
    assert shown(FAR, SECRET + FAR) and shown(SECRET + FAR, FAR)
    assert shown(SECRET + FAR, SECRET + "y = 1\n" + FAR)


def test_a_secret_far_from_the_change_is_not_but_in_the_heading_it_is() -> None:
    before = SECRET + FAR
    assert not shown(before, before + "y = 1\n")
    one_line = "PASSWORD = 'hunter2hunter2'\n" + FAR
    assert shown(one_line, one_line + "y = 1\n", "PASSWORD = 'hunter2hunter2'")


def test_part_of_a_literal_over_lines_is_shown() -> None:
    text = 'PASSWORD = """hunter2\n' + "".join(f"more words {number}\n" for number in range(20)) + '"""\n'
    assert shown(text, text.replace("words 15", "words fifteen"))


def test_what_no_longer_lies_there_is_judged_by_what_is_shown() -> None:
    made = section(FAR, FAR + "PASSWORD = 'hunter2hunter2'\n")
    assert shows_secret("x.py", made, FAR.encode(), FAR.encode()) and shows_secret("x.py", made, None, None)
    assert shows_secret_itself("x.py", made)
    assert not shows_secret_itself("x.py", section(FAR, FAR + "password = getpass.getpass()\n"))


def test_a_binary_file_is_judged_whole_and_one_that_cannot_be_read_is_not_shown() -> None:
    binary = b"diff --git a/x b/x\nGIT binary patch\nliteral 3\n"
    assert shows_secret("x", binary, b"\0", b"\0 password=hunter2hunter2 \xff")
    assert shows_secret("x", binary, None, b"\0") and not shows_secret("x", binary, b"\0", b"\1")
