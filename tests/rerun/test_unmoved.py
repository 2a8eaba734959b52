"""What may have moved since a run was made, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.digest import sha256
from samerun.errors import RefusedError, UsageError
from samerun.record.identity import Identity, Moved
from samerun.rerun.unmoved import admit, check_drift_names, moved_inputs

IDENTITY = Identity({"seed": "7", "source": {"user": {}}}, {"torch": "2.13.0"})


def test_groups_and_fields_are_names_of_drift() -> None:
    check_drift_names(["platform", "source", "environment", "torch", "platform.torch", "source.user"], IDENTITY)


def test_another_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="SR-RESUME-005") as caught:
        check_drift_names(["sauce"], IDENTITY)
    assert caught.value.do == "--allow-drift source"
    with pytest.raises(UsageError, match="platform, source, environment"):
        check_drift_names(["nonsense"], IDENTITY)


def test_the_content_of_an_input_counts_and_its_place_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"1\n")
    recorded = Identity({"inputs": {"input/a.csv": sha256(b"1\n"), "dataset/data": "sha256:0"}})
    assert moved_inputs(recorded, [path]) == []
    path.write_bytes(b"2\n")
    assert [one.name for one in moved_inputs(recorded, [path])] == ['experiment.inputs["input/a.csv"]']


def test_the_platform_is_never_refused_and_data_never_allowed(record: Any) -> None:
    made = record()
    platform, source = Moved("platform", "torch", "1", "2"), Moved("experiment", "source.user", "1", "2")
    assert admit(made, [platform, source], ["source"]) == ("experiment.source.user",)
    for moved, allowed in ((source, []), (Moved("experiment", "inputs", "1", "2"), ["inputs", "source"])):
        with pytest.raises(RefusedError, match="SR-EVALUATE-005"):
            admit(made, [moved], allowed)
