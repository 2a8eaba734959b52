"""The checks of `verify` that need one further training or none: files, repeat, here, and what is not there yet.

Each returns what it found; which are made, and where, is verify.py's. `resume` is chain.py, `neutral` neutral.py.
"""

from __future__ import annotations

from samerun.base.text import plural
from samerun.judge.integrity import check_files
from samerun.record.reader import RunRecord
from samerun.rerun.answer import Case, Check, CheckName
from samerun.rerun.compared import Compared, compare
from samerun.rerun.made import Order
from samerun.rerun.series import Series
from samerun.rerun.whole import Whole, compare_all

FACTS_SHOWN = 5


def files_check(record: RunRecord) -> Check:
    """Read every file of a run against its digests."""
    problems = check_files(record)
    rests_on = "the bytes of every file, and the digests that cover them"
    if not problems:
        return Check("files", "same", "every file is what was written", rests_on=rests_on)
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    cases = tuple(Case(problem.file, "different", f"{problem.code}: {problem.what}") for problem in problems)
    return Check("files", "different", f"{problems[0]}{more}", rests_on=rests_on, cases=cases)


def repeat_check(series: Series, whole: Whole, record: RunRecord | None) -> Check:
    """Compare the whole run with the record, or with a second one in another process."""
    if record is None:
        series.say("training again in another process")
        series.train("again", 1, Order(whole.stop_after))
        found = compare_all(whole, series.runs_of("again"))
        rests_on = f"{whole.what} and another: {series.surroundings()}"
        return Check.of("repeat", found, "two fresh processes", rests_on)
    found = compare(record, whole.record, count=whole.steps if whole.stop_after is not None else None)
    rests_on = f"the record and {whole.what}, with its own source"
    if found.verdict == "different" and found.facts:
        detail = f"what is here is not what the run was made with ({_listed(found)}), and the numbers are others"
        return Check("repeat", "cannot_say", detail, found.first_difference, found.steps, rests_on, found.components)
    return Check.of("repeat", found, "the record and a fresh process", rests_on)


def here_check(whole: Whole, record: RunRecord) -> Check:
    """Compare the record with the same settings trained by the code and the packages that are here now."""
    found = compare(record, whole.record, count=whole.steps if whole.stop_after is not None else None, bits_only=True)
    moved = f"moved since: {_listed(found)}" if found.facts else "no fact of the identity has moved"
    over = plural(found.steps, "step")
    words = {
        "same": f"what is here now changes nothing over {over}; {moved}",
        "different": f"what is here now gives other numbers within {over}; {moved}",
        "cannot_say": f"no step is recorded on both sides; {moved}",
    }
    rests_on = f"the record and {whole.what}, with the code and the packages that are here"
    return Check(
        "here", found.verdict, words[found.verdict], found.first_difference, found.steps, rests_on, found.components
    )


def portable_check() -> Check:
    """Say that nothing is promised between machines."""
    detail = "needs tier portable, which does not exist yet: exact and fast promise nothing between machines"
    return Check("portable", "cannot_say", detail)


def unsaid(name: CheckName, why: str) -> Check:
    """Return a check that could not be made."""
    return Check(name, "cannot_say", why)


def _listed(found: Compared) -> str:
    more = f" and {len(found.facts) - FACTS_SHOWN} more" if len(found.facts) > FACTS_SHOWN else ""
    return ", ".join(found.facts[:FACTS_SHOWN]) + more
