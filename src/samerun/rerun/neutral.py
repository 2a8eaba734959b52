"""The check `neutral`: every aside setting flipped to another legal value, one at a time, and equal bits demanded.

Which settings, and to which values, is flips.py's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from samerun.base import files
from samerun.base.text import plural
from samerun.config.resolved import Config
from samerun.errors import SamerunError
from samerun.record.metrics import columns, is_clock
from samerun.rerun.answer import Case, Check
from samerun.rerun.compared import Compared
from samerun.rerun.flips import Around, Flip, flips_of_recipe, flips_of_script
from samerun.rerun.made import Order
from samerun.rerun.outside import lay
from samerun.rerun.series import Series
from samerun.rerun.whole import Whole, compare_all

MOVED = "moved"
"""Where data is copied to, for the settings that name it."""


def neutral_check(series: Series, whole: Whole, *, fresh: Callable[[], Whole]) -> Check:
    """Train once with each flip, and compare with the whole run.

    Where that run is the record, and a flip differs from it, `fresh` makes one with what is here: only then is it the
    flip that differs.
    """
    if not whole.steps:
        return Check("neutral", "cannot_say", "no step is recorded, so nothing can be compared")
    cases: list[Case] = []
    guilty: tuple[Flip, Compared] | None = None
    least = Compared("cannot_say", "nothing could be flipped")
    flips = flips_for(series, whole)
    num_stages = sum(flip.reason is None for flip in flips)
    for number, flip in enumerate(flips):
        if flip.reason is not None:
            cases.append(Case(flip.path, None, flip.reason))
            continue
        stage = 1 + sum(case.verdict is not None for case in cases)
        series.say(f"neutral, {stage} of {num_stages}: training with {flip}")
        name = f"flip-{number}"
        try:
            _train(series, whole, flip, name)
        except SamerunError as error:
            cases.append(Case(str(flip), "cannot_say", f"{error.code}: {error.what}"))
            continue
        found = compare_all(whole, series.runs_of(name))
        if not found.is_same and whole.is_recorded:
            whole = fresh()
            found = compare_all(whole, series.runs_of(name))
        files.remove(series.place(name))
        files.remove(series.place(MOVED))
        cases.append(Case(str(flip), found.verdict, found.summary, found.steps))
        guilty = _worse(guilty, flip, found)
        least = _least(least, found) if found.is_same else least
    rests_on = f"{whole.what} and one run for each flip{series.forked()}: {series.surroundings()}"
    return _answer(cases, guilty, least, rests_on)


def flips_for(series: Series, whole: Whole) -> list[Flip]:
    """Return what can be flipped in the runs of a series, and what cannot."""
    row = next(whole.record.metrics(), {})
    metric = next((column for column in columns(row) if not is_clock(column)), None)
    making = series.making
    config = making.config()
    if config is None:
        asides = whole.record.config.asides
        return list(flips_of_script(whole.steps, metric, asides, is_single=len(whole.runs) == 1))

    def resolve(further: Sequence[str]) -> Config:
        found = making.config(further)
        assert found is not None
        return found

    around = Around(whole.steps, metric, making.data_root or making.project, series.place(MOVED))
    return list(flips_of_recipe(config, around, resolve))


def _train(series: Series, whole: Whole, flip: Flip, name: str) -> None:
    lay(flip.copies)
    order = Order(whole.stop_after, flip.settings, flip.name)
    if flip.path == "steps":
        # A shorter run that ends by itself, then a longer one that goes on with it.
        series.train(
            name, 1, replace(order, settings=(*flip.settings, f"steps={max(1, whole.steps // 2)}")), is_fresh=False
        )
        order = replace(order, stop_after=whole.steps)
    for stop in flip.stops:
        series.train(name, 1, replace(order, stop_after=stop), is_fresh=False)
    series.train(name, 2, order, is_fresh=False)


def _least(one: Compared, other: Compared) -> Compared:
    """Return what both comparisons can answer for: of each component the fewer steps."""
    if not one.components:
        return other
    nowhere = {"verdict": "cannot_say", "steps": 0, "first_step": None}
    components = {
        name: min(
            one.components.get(name, nowhere), other.components.get(name, nowhere), key=lambda part: part["steps"]
        )
        for name in {**one.components, **other.components}
    }
    return replace(other, steps=min(one.steps, other.steps), components=components)


def _worse(guilty: tuple[Flip, Compared] | None, flip: Flip, found: Compared) -> tuple[Flip, Compared] | None:
    """Return the first flip that differs, else the first of which nothing can be said."""
    if found.is_same or (guilty is not None and not (guilty[1].verdict == "cannot_say" != found.verdict)):
        return guilty
    return flip, found


def _answer(cases: Sequence[Case], guilty: tuple[Flip, Compared] | None, least: Compared, rests_on: str) -> Check:
    flipped = [case for case in cases if case.verdict is not None]
    unsaid = [case for case in flipped if case.verdict == "cannot_say"]
    left = [f"{case.what} ({case.detail})" for case in cases if case.verdict is None]
    brief = f"{plural(len(flipped), 'setting')} flipped one at a time"
    listed = f"{brief}: {'; '.join(case.what for case in flipped)}"
    listed += f"; not flipped: {'; '.join(left)}" if left else ""
    if guilty is not None:
        flip, found = guilty
        detail = f"with {flip}: {found.summary}; {listed}"
        return Check(
            "neutral",
            found.verdict,
            detail,
            found.first_difference,
            found.steps,
            rests_on,
            found.components,
            tuple(cases),
            brief=f"with {flip}: {found.summary}",
        )
    if unsaid or not flipped:
        why = f"{unsaid[0].what}: {unsaid[0].detail}; " if unsaid else ""
        shown = (why or "nothing to flip; ") + brief
        return Check("neutral", "cannot_say", why + listed, rests_on=rests_on, cases=tuple(cases), brief=shown)
    components = least.components
    return Check("neutral", "same", listed, None, least.steps, rests_on, components, tuple(cases), brief=brief)
