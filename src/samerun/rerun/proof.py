"""One proof: which checks are made in which order, and on which trainings they stand.

An uninterrupted run is made at most once for each source of code, and not at all where the record can stand for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from samerun.base import files
from samerun.errors import ConfigError, DamageError, MissingError
from samerun.record.reader import RunRecord
from samerun.rerun import checks
from samerun.rerun.answer import NEEDS_RECORD, Check, CheckName, Wanted
from samerun.rerun.chain import resume_check
from samerun.rerun.made import Making, making_of_recipe
from samerun.rerun.neutral import neutral_check
from samerun.rerun.recorded import making_here, making_of_run
from samerun.rerun.series import Series
from samerun.rerun.untracked import untracked_of, with_untracked
from samerun.rerun.whole import Whole, has_rows, train_whole, whole_of


class Basis:
    """What the checks of one source of code stand on: a series of trainings and an uninterrupted run."""

    def __init__(self, series: Series, record: RunRecord | None, steps: int | None) -> None:
        self.series = series
        self.record = record
        self._steps = steps
        self._trained: Whole | None = None

    def trained(self) -> Whole:
        """Return the uninterrupted run, made in a process of its own when it is first asked for."""
        if self._trained is None:
            self._trained = train_whole(self.series, self._steps, self.record)
        return self._trained

    def any(self) -> Whole:
        """Return an uninterrupted run; the record itself where it is as good and no other was made."""
        if self._trained is not None or self.record is None:
            return self.trained()
        return whole_of(self.record, self.series, self._steps) or self.trained()


class Proof:
    """The checks of one subject, made below `folder`."""

    def __init__(self, wanted: Wanted, folder: Path, say: Callable[[str], None]) -> None:
        self._wanted = wanted
        self._folder = folder
        self._say = say
        self._series: list[Series] = []

    def close(self) -> None:
        """End what still runs."""
        for series in self._series:
            series.close()

    def of_recipe(self, recipe: str, settings: Sequence[str], arguments: Sequence[str]) -> tuple[Check, ...]:
        """Check a recipe or a script."""
        lacking = f"{recipe} has no record: verify a run of it"
        names = self._wanted.checks
        done = {name: checks.unsaid(name, lacking) for name in names if name in NEEDS_RECORD}
        if "portable" in names:
            done["portable"] = checks.portable_check()
        if set(names) - set(done):
            basis = self._basis("made", making_of_recipe(recipe, settings, arguments), None)
            done.update({name: self._made(name, basis) for name in names if name not in done})
        return tuple(done[name] for name in names)

    def of_run(self, record: RunRecord, *, trust: bool) -> tuple[Check, ...]:
        """Check a run; what cannot be answered is said of each check. Raises RefusedError for untrusted code."""
        names = self._wanted.checks
        done: dict[CheckName, Check] = {}
        if "portable" in names:
            done["portable"] = checks.portable_check()
        if "files" in names:
            self._say("reading every file of the run")
            done["files"] = checks.files_check(record)
        left = [name for name in names if name not in done]
        if "files" in done and done["files"].verdict != "same":
            # What is here needs no snapshot and no checkpoint: the rows are enough, where they can be read.
            broken = [name for name in left if name != "here"]
            done.update(
                {name: checks.unsaid(name, f"the record is not whole: {done['files'].detail}") for name in broken}
            )
            left = [name for name in left if name == "here"]
        why = self._why_not(record, is_raising="files" not in done) if left else None
        if why is not None:
            done.update({name: checks.unsaid(name, why) for name in left})
        else:
            done.update(self._of_record(record, left, trust=trust))
        return tuple(done[name] for name in names)

    def _why_not(self, record: RunRecord, *, is_raising: bool) -> str | None:
        try:
            return has_rows(record, self._wanted.steps)
        except DamageError as damage:
            if is_raising:
                raise
            return damage.what

    def _of_record(self, record: RunRecord, names: Sequence[CheckName], *, trust: bool) -> dict[CheckName, Check]:
        done: dict[CheckName, Check] = {}
        own: Basis | None = None
        with_own_code = [name for name in names if name != "here"]
        if with_own_code:
            making = _attempt(lambda: making_of_run(record, trust=trust))
            if isinstance(making, str):
                done.update({name: checks.unsaid(name, making) for name in with_own_code})
            else:
                own = self._basis("recorded", making, record)
                done.update({name: self._made(name, own) for name in with_own_code})
        if "here" in names:
            done["here"] = self._here(record, own, trust=trust)
        return done

    def _made(self, name: CheckName, basis: Basis) -> Check:
        series, splits = basis.series, self._wanted.splits
        if name == "repeat":
            return checks.repeat_check(series, basis.trained(), basis.record)
        if name == "resume":
            whole = basis.any()
            self._say("looking for state that changes from step to step and is not saved")
            search = untracked_of(series, whole.steps)
            return with_untracked(resume_check(series, whole, splits, fresh=basis.trained), search)
        return neutral_check(series, basis.any(), fresh=basis.trained)

    def _here(self, record: RunRecord, own: Basis | None, *, trust: bool) -> Check:
        making = _attempt(lambda: making_here(record, trust=trust))
        if isinstance(making, str):
            return checks.unsaid("here", making)
        is_own = own is not None and not own.series.making.snapshot
        basis = own if own is not None and is_own else self._basis("here", making, record)
        try:
            return checks.here_check(basis.trained(), record)
        except ConfigError as error:
            return checks.unsaid("here", _spelled(error))

    def _basis(self, name: str, making: Making, record: RunRecord | None) -> Basis:
        folder = self._folder / name
        files.make_dir(folder)
        series = Series(making.prepared(folder), folder, self._say)
        self._series.append(series)
        return Basis(series, record, self._wanted.steps)


def _attempt(make: Callable[[], Making]) -> Making | str:
    """Return a making, or why there is none: code, a device or a setting of the record that is not here."""
    try:
        return make()
    except (MissingError, ConfigError) as error:
        return _spelled(error)


def _spelled(error: MissingError | ConfigError) -> str:
    evidence = f" ({'; '.join(error.evidence)})" if error.evidence else ""
    return f"{error.what}{evidence}: {error.do}"
