"""Which environment is used, decided before anything is written, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import write_sealed
from samerun.errors import RefusedError, UsageError
from samerun.record import layout
from samerun.rerun.reproducing.choice import Job, choose

NO_WISH = {"here": False, "fresh_environment": False, "offline": False, "trust": False}


def chosen(record: Any, **wishes: bool) -> Job:
    return choose(record, **{**NO_WISH, **wishes})


@pytest.fixture
def other(record: Any) -> Any:
    """A record whose environment had another NumPy; `local` as in `record`."""

    def make(**wishes: Any) -> Any:
        made = record(**wishes)
        document = made.document(layout.ENVIRONMENT)
        document["distributions"]["numpy"]["version"] = "1.0"
        write_sealed(made.folder / layout.ENVIRONMENT, document)
        return made

    return make


def test_the_present_environment_is_used_where_it_is_the_recorded_one(record: Any) -> None:
    job = chosen(record(), offline=True)
    assert (job.used, job.differences, job.is_trusted) == ("present", (), True)


def test_one_is_built_where_it_differs_and_the_difference_is_named(other: Any) -> None:
    job = chosen(other())
    assert job.used == "built"
    assert [(one.name, one.recorded) for one in job.differences] == [("numpy", "1.0")]
    assert chosen(other_again(job), here=True).used == "present"


def other_again(job: Job) -> Any:
    return job.record


def test_one_is_built_where_that_is_wished(record: Any) -> None:
    assert chosen(record(), fresh_environment=True).used == "built"


def test_two_wishes_at_once_are_refused(record: Any) -> None:
    with pytest.raises(UsageError, match="SR-REPRODUCE-008"):
        chosen(record(), here=True, fresh_environment=True)


def test_building_is_refused_offline_with_what_differs(other: Any) -> None:
    with pytest.raises(RefusedError, match="SR-REPRODUCE-005") as refusal:
        chosen(other(), offline=True)
    assert refusal.value.evidence[0].startswith("package numpy: 1.0 then")


def test_packages_of_a_foreign_run_are_installed_only_with_trust(other: Any, tmp_path: Path) -> None:
    made = other(local={"root": str(tmp_path / "elsewhere")})
    with pytest.raises(RefusedError, match="SR-REPRODUCE-004"):
        chosen(made)
    assert chosen(made, trust=True).used == "built"
    job = chosen(made, here=True)
    assert job.used == "present" and not job.is_trusted
