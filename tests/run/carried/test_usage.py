"""Which names code reads, and which it reads to assign."""

from __future__ import annotations

import functools
import sys
from typing import Any

from samerun.run.carried.usage import Usage, key_name, plain_function, user_modules

COUNT = 0


class Kept:
    """Updates `best` and `totals["n"]`, assigns `assigned_only`, reads `shown`."""

    best, assigned_only, shown = 0, 0, 0

    def update(self, totals: dict[str, int], value: int) -> Any:
        self.best = min(self.best, value)
        totals["n"] += 1
        totals["m"] = value
        self.assigned_only = value
        return self.shown, self.assigned_only


def count() -> None:
    global COUNT
    COUNT += 1


def usage() -> Usage:
    found = Usage([sys._getframe()])
    found.add_class(Kept)
    return found


def test_names_that_are_read_and_then_assigned_are_updated() -> None:
    found = usage()
    assert {"best", key_name("n"), "COUNT"} <= found.updated
    assert not {"assigned_only", key_name("m"), "shown"} & found.updated
    assert "shown" in found.read and "COUNT" in found.globals


def test_the_function_behind_a_wrapper_is_found_and_nothing_else_is_asked() -> None:
    class Proxy:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    assert plain_function(Proxy()) is None
    assert plain_function(staticmethod(count)) is count
    assert plain_function(functools.lru_cache(count)) is count


def test_the_modules_of_the_user_are_not_ours_nor_installed() -> None:
    names = {module.__name__ for module in user_modules()}
    assert not {name for name in names if name.split(".")[0] in ("samerun", "pytest", "json", "numpy")}
