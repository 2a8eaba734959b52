"""Tests mirror the source: `src/samerun/a/b.py` has `tests/a/test_b.py`, and no test file there lacks its source."""

from __future__ import annotations

import codebase
from codebase import REPOSITORY, Module

ON_THEIR_OWN = ("promises", "rules", "docs", "examples", "golden", "plugins", "gpu")
UNTESTED_ALONE = ("src/samerun/__init__.py", "src/samerun/__main__.py")


def sources(paths: list[str]) -> set[str]:
    """`src/samerun/judge/diff.py` -> `judge/diff`."""
    wanted = [path for path in paths if not path.endswith("__init__.py") and path not in UNTESTED_ALONE]
    return {path.removeprefix("src/samerun/").removesuffix(".py") for path in wanted}


def covered(paths: list[str]) -> set[str]:
    """`tests/judge/test_diff.py` -> `judge/diff`; files that mirror nothing are left out."""
    found = set()
    for path in paths:
        folder, _, name = path.removeprefix("tests/").rpartition("/")
        if name.startswith("test_") and folder.split("/")[0] not in ON_THEIR_OWN:
            found.add(f"{folder}/{name.removeprefix('test_').removesuffix('.py')}".lstrip("/"))
    return found


def without_test(source: set[str], test: set[str]) -> list[str]:
    return sorted(source - test)


def without_source(source: set[str], test: set[str]) -> list[str]:
    """A test file may cover one aspect of a source file: `test_diff_speed.py` belongs to `diff.py`."""
    return sorted(name for name in test if not any(name == of or name.startswith(f"{of}_") for of in source))


def every_test_file() -> list[str]:
    return [path.relative_to(REPOSITORY).as_posix() for path in sorted((REPOSITORY / "tests").rglob("test_*.py"))]


def test_every_source_file_has_its_test_file(modules: list[Module]) -> None:
    assert without_test(sources([module.path for module in modules]), covered(every_test_file())) == []


def test_every_test_file_has_its_source_file(modules: list[Module]) -> None:
    assert without_source(sources([module.path for module in modules]), covered(every_test_file())) == []


def test_a_source_file_without_test_is_found() -> None:
    source = sources(["src/samerun/judge/diff.py", "src/samerun/judge/__init__.py", "src/samerun/errors.py"])
    assert without_test(source, covered(["tests/judge/test_other.py", "tests/test_errors.py"])) == ["judge/diff"]


def test_a_test_file_without_source_is_found() -> None:
    source = sources(["src/samerun/judge/diff.py"])
    names = covered(["tests/judge/test_diff.py", "tests/judge/test_diff_speed.py", "tests/judge/test_gone.py"])
    assert without_source(source, names | covered(["tests/promises/test_kill.py"])) == ["judge/gone"]


def borrowed(files: list[Module]) -> list[str]:
    """Imports from other test files: two of one name in different folders make such an import mean either."""
    return [f"{file.path}:{use.line}" for file in files for use in file.imports() if use.name.startswith("test_")]


def test_no_test_file_imports_from_another() -> None:
    assert borrowed(codebase.read_modules("tests")) == []


def test_an_import_from_a_test_file_is_found() -> None:
    assert borrowed([codebase.planted("from test_options import PLAIN")]) != []
