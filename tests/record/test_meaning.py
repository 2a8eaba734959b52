"""The meaning of a file: comments, layout and docstrings do not move it, every other change does."""

import subprocess
import sys
import textwrap

import pytest

from samerun.record.meaning import Imported, meaning_of

PROGRAM = textwrap.dedent(
    '''
    """What it does."""
    import math
    from a.b import c as d

    RATE = 0.1  # per step


    class Net:
        """A net."""

        size: int = 3
        """Units of the hidden layer."""

        def forward(self, x, *, scale: float = -1.0):
            """Apply it."""
            if x > 0 and not math.isnan(x):
                return [x ** 2 + RATE, f"{x!r:>{scale}}", b"raw", 1_000, 2j, None, ..., True]
            else:
                pass
            return lambda y: (yield y)
    '''
)


def code(text: str) -> str:
    return meaning_of(text.encode()).code


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# per step", "# per minute"),
        ("# per step", ""),
        ('"""What it does."""', '"""What it did."""'),
        ('"""What it does."""\n', ""),
        ('"""A net."""', ""),
        ('"""Units of the hidden layer."""', '"""Units."""'),
        ('"""Apply it."""', "'''Apply\n\n        it.'''"),
        ("\n\n\n", "\n"),
        ("    ", "  "),
        ("\n", "\r\n"),
        ("x ** 2", "x**2"),
        ("x ** 2", "(x ** 2)"),
        ("0.1", "1e-1"),
        ("1_000", "1000"),
        ("1_000", "0x3e8"),
        ('b"raw"', "b'raw'"),
        ("            else:\n                pass\n", ""),
        ("else:", "else:\n            'nothing to do'"),
        ("import math\n", "import math;"),
    ],
)
def test_what_changes_no_result_does_not_move_it(old: str, new: str) -> None:
    if old == "            else:\n                pass\n":
        old = textwrap.indent(textwrap.dedent(old), "        ")
    assert old in PROGRAM
    assert code(PROGRAM.replace(old, new)) == code(PROGRAM)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x ** 2", "x * 2"),
        ("x ** 2 + RATE", "x ** (2 + RATE)"),
        ("x > 0", "x >= 0"),
        ("and not", "or not"),
        ("not math", "math"),
        ("0.1", "0.10000000000000002"),
        ("-1.0", "-1"),
        ("-1.0", "1.0"),
        ("size: int = 3", "size: int = 4"),
        ("size: int = 3", "size: float = 3"),
        ("size: int = 3", "size = 3"),
        ("size: int = 3", "size: int = 3.0"),
        ("size: int = 3", "size: int = True"),
        ("scale: float", "scale: int"),
        ("*, scale", "scale"),
        ("forward", "backward"),
        ("as d", "as e"),
        ("from a.b", "from .a.b"),
        ("import math", "import cmath as math"),
        ('b"raw"', '"raw"'),
        ("!r:>", "!s:>"),
        ("{x!r:>", "{x!r:<"),
        ("2j", "3j"),
        ("None, ...", "..., None"),
        ("True]", "True, ]" + "[0]"),
        ("(yield y)", "(yield from y)"),
        ("class Net:", "class Net(object):"),
        ("RATE = 0.1", "RATE = -0.0"),
        ("    def forward", "    @staticmethod\n    def forward"),
        ("    def forward", "    async def forward"),
        ("return [", "yield ["),
    ],
)
def test_any_other_change_moves_it(old: str, new: str) -> None:
    assert old in PROGRAM
    changed = PROGRAM.replace(old, new, 1)
    assert meaning_of(changed.encode()).kind == "python"
    assert code(changed) != code(PROGRAM)


def test_texts_that_meet_when_joined_are_told_apart() -> None:
    assert code("f('a', 'b')") != code("f('a,b')") != code("f('ab')")
    assert code("x = 'str1:a'") != code("x = 'a'")
    assert code("a.b.c") != code("a.bc")


def test_the_digest_is_pinned() -> None:
    # Frozen: it stands in every identity. The same under every Python version that can parse the program.
    assert code(PROGRAM) == "sha256:056c23d15206940ac52aacd4c6f2505ce10d5c193cd672f7cc231387f7f39908"


@pytest.mark.parametrize("seed", ["1", "2", "random"])
def test_hash_order_does_not_reach_it(seed: str) -> None:
    program = (
        "import sys\nfrom samerun.record.meaning import meaning_of\nprint(meaning_of(sys.stdin.buffer.read()).code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=PROGRAM.encode(), capture_output=True, env={"PYTHONHASHSEED": seed}
    )
    assert done.stdout.decode().strip() == code(PROGRAM)


def test_docstrings_have_a_digest_of_their_own() -> None:
    other = PROGRAM.replace("A net.", "Another net.")
    assert meaning_of(other.encode()).documented != meaning_of(PROGRAM.encode()).documented
    comment = PROGRAM.replace("# per step", "# other")
    assert meaning_of(comment.encode()).documented == meaning_of(PROGRAM.encode()).documented


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("print(__doc__)", True),
        ("p(description=f.__doc__)", True),
        ("inspect.getdoc(f)", True),
        ("wrapped.__doc__ = f.__doc__", False),
        ("f.__doc__ = 'text'", False),
        ("f.__name__", False),
        ("x = '__doc__'", False),
    ],
)
def test_a_program_that_reads_docstrings_is_known(text: str, reads: bool) -> None:
    assert meaning_of(text.encode()).reads_docs is reads


@pytest.mark.parametrize("data", [b"def f(:\n", b"\xff\xfe", b"print 'python 2'", b"a\0b", b"%timeit x", b"(" * 500])
def test_what_does_not_parse_counts_byte_by_byte(data: bytes) -> None:
    meaning = meaning_of(data)
    assert meaning.kind == "bytes"
    assert meaning.code == meaning.documented != meaning_of(data + b" ").code


def test_a_declared_encoding_is_followed() -> None:
    assert meaning_of("# coding: latin-1\nx = 'é'".encode("latin-1")).code == code("x = 'é'")
    assert meaning_of(b"\xef\xbb\xbfx = 1").code == code("x = 1")


def test_every_import_that_may_run_is_listed() -> None:
    text = textwrap.dedent(
        """
        import a, b.c as d
        from e import f, g
        from . import h
        from ..i.j import *
        try:
            import k
        except ImportError:
            import l
        def late():
            if debug:
                from m import n
        importlib.import_module("o.p")
        __import__("q")
        import_module(".r", __package__)
        import_module(name)
        import_module("s" + x)
        from __future__ import annotations
        """
    )
    assert meaning_of(text.encode()).imports == (
        Imported(0, "a"),
        Imported(0, "b.c"),
        Imported(0, "e", "f"),
        Imported(0, "e", "g"),
        Imported(1, "", "h"),
        Imported(2, "i.j", "*"),
        Imported(0, "k"),
        Imported(0, "l"),
        Imported(0, "m", "n"),
        Imported(0, "o.p"),
        Imported(0, "q"),
        Imported(1, "r"),
        Imported(0, "__future__", "annotations"),
    )


def test_what_only_type_checkers_import_is_not_listed() -> None:
    text = "if TYPE_CHECKING:\n    import a\nelse:\n    import b\nif typing.TYPE_CHECKING:\n    import c\n"
    assert meaning_of(text.encode()).imports == (Imported(0, "b"),)


def test_a_literal_all_is_listed() -> None:
    assert meaning_of(b"__all__ = ['a', 'b']").exported == ("a", "b")
    assert meaning_of(b"__all__: tuple[str, ...] = ('a',)").exported == ("a",)
    assert meaning_of(b"__all__ += ['c']").exported == ("c",)
    assert meaning_of(b"__all__ = names()").exported == ()
