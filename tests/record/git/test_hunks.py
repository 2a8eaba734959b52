"""A patch is taken apart by its own counts: no line of content passes for a header."""

from __future__ import annotations

from samerun.record.git.hunks import hunks, is_binary, sections

PATCH = b"""diff --git a/x.py b/x.py
index 1..2 100644
--- a/x.py
+++ b/x.py
@@ -1,3 +1,3 @@ def f():
 a
-@@ -9 +9 @@
+-- b
 c
@@ -8 +8,2 @@
 d
+e
\\ No newline at end of file
diff --git a/y.bin b/y.bin
GIT binary patch
literal 3
"""


def test_sections_hunks_and_sides() -> None:
    (first, text), (second, binary) = sections(PATCH)
    assert (first, second) == (b"diff --git a/x.py b/x.py", b"diff --git a/y.bin b/y.bin")
    assert text + binary == PATCH and is_binary(binary) and not is_binary(text)
    one, two = hunks(text)
    assert one.heading == b"def f():" and two.heading == b""
    assert one.old.lines == (b"a", b"@@ -9 +9 @@", b"c") and one.new.lines == (b"a", b"-- b", b"c")
    assert (two.old.lines, two.new.lines, list(two.new.numbers)) == ((b"d",), (b"d", b"e"), [8, 9])
    assert list(hunks(binary)) == [] and list(sections(b"")) == []
