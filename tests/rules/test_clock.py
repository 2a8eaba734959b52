"""Only base/clock.py reads the time: a number that depends on when it was made would never come twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codebase import Module, planted

CLOCK = "src/samerun/base/clock.py"
DATE_READERS = ("now", "utcnow", "today")


def clock_reads(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if module.path == CLOCK:
            continue
        for use in module.uses():
            is_time = use.name.startswith("time.") and use.name != "time.sleep"
            is_date = use.name.startswith("datetime.") and use.name.endswith(DATE_READERS)
            if is_time or is_date or use.name == "os.times":
                yield f"{module.path}:{use.line} {use.name}"


def test_only_the_clock_reads_the_time(modules: list[Module]) -> None:
    assert list(clock_reads(modules)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import time\ntime.time()",
        "import time as t\nx = t.perf_counter",
        "def f():\n    from time import monotonic\n    return monotonic()",
        "from datetime import datetime\ndatetime.now()",
        "import datetime\ndatetime.date.today()",
    ],
)
def test_reading_the_time_elsewhere_is_found(text: str) -> None:
    assert list(clock_reads([planted(text)])) != []


def test_sleeping_is_not_reading_the_time() -> None:
    assert list(clock_reads([planted("import time\ntime.sleep(1)")])) == []
