"""What a reproduction would do, with sizes, found out without writing anything."""

from __future__ import annotations

from pathlib import Path

from samerun.record.constraints import pins_of
from samerun.rerun.course import course_of
from samerun.rerun.origin import RECIPE
from samerun.rerun.recorded import user_files
from samerun.rerun.reproducing.answer import ReproductionPlan
from samerun.rerun.reproducing.choice import Job
from samerun.rerun.reproducing.data import DataPlace, data_place
from samerun.rerun.reproducing.making import PROJECT
from samerun.rerun.reproducing.source import lost_code, repository_of
from samerun.rerun.reproducing.unmatched import Unmatched, lost_arguments


def preview(job: Job, target: Path, steps: int | None, data: Path | None) -> ReproductionPlan:
    """Say what would be restored, built, found and trained."""
    record = job.record
    source = user_files(record)
    pins = pins_of(job.environment) if job.used == "built" else ()
    recorded = course_of(record).steps
    place = data_place(record, target.absolute() / PROJECT, data)
    lost = (*lost_code(record), *lost_arguments(record.manifest.entry.argv), *place.missing)
    not_installed = (
        Unmatched("package", pin.name, pin.version, None, str(pin.why)) for pin in pins if pin.line is None
    )
    return ReproductionPlan(
        run=record.name,
        folder=target,
        used=job.used,
        differences=job.differences,
        num_files=len(source),
        source_bytes=sum(int(file["size_bytes"]) for _, file in source),
        num_distributions=sum(pin.line is not None for pin in pins),
        steps=recorded if steps is None else min(steps, recorded),
        data=_data(place, is_recipe=record.manifest.entry.kind == RECIPE),
        repository=repository_of(record),
        unmatched=(*lost, *(not_installed if job.used == "built" else job.differences)),
    )


def _data(place: DataPlace, *, is_recipe: bool) -> str:
    if place.missing:
        return "missing"
    what = "relative paths start" if is_recipe else "the script is started"
    return f"{what} in {place.root}"
