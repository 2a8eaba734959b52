"""What could not be matched, one by one, from two environments or two identities."""

from __future__ import annotations

from typing import Any

import pytest

from samerun.record.identity import Identity
from samerun.rerun.reproducing.unmatched import environment_differences, identity_differences, variable_differences

PYTHON = {"implementation": "CPython", "version": "3.11.7", "is_free_threaded": False, "is_debug": False}
INDEX = {"version": "1.0", "record": "sha256:a", "origin": None}
EDITABLE = {"version": "1.0", "record": None, "origin": {"kind": "editable", "url": "[local path]"}}


def environment(**changes: Any) -> dict[str, Any]:
    return {"python": PYTHON, "distributions": {"pack": INDEX}, **changes}


def test_an_environment_matches_itself_and_one_with_more_in_it() -> None:
    more = environment(distributions={"pack": INDEX, "other": INDEX})
    assert environment_differences(environment(), environment()) == ()
    assert environment_differences(environment(), more) == ()


@pytest.mark.parametrize(
    ("here", "why"),
    [
        ({}, "1.0 then, not installed here"),
        ({"pack": {**INDEX, "version": "2.0"}}, "1.0 then, 2.0 here"),
        ({"pack": {**INDEX, "record": "sha256:b"}}, "1.0 here too, with other files"),
        ({"pack": EDITABLE}, "1.0 here too, from an index then and an editable install here"),
        ({"pack": {**INDEX, "record": None, "origin": {"kind": "vcs", "commit": "c"}}}, "from a commit here"),
    ],
)
def test_a_package_that_is_not_the_recorded_one_is_named_with_the_reason(here: Any, why: str) -> None:
    (found,) = environment_differences(environment(), environment(distributions=here))
    assert (found.kind, found.name) == ("package", "pack") and why in found.why


def test_an_unknown_digest_is_no_difference_where_version_and_origin_agree() -> None:
    recorded = environment(distributions={"pack": EDITABLE})
    assert environment_differences(recorded, recorded) == ()
    without = environment(distributions={"pack": {**INDEX, "record": None}})
    assert environment_differences(environment(), without) == ()


def test_another_python_is_named_with_both_versions() -> None:
    (found,) = environment_differences(environment(), environment(python={**PYTHON, "version": "3.12.1"}))
    assert str(found) == "python version: 3.11.7 then, 3.12.1 here"
    assert environment_differences(environment(python={"version": "3.11.7"}), environment()) == ()


def test_each_fact_of_the_identity_is_of_its_kind() -> None:
    then = Identity(
        {"source": {"samerun": "s1", "user": {"a.py": "1"}}, "inputs": {"x": "1"}, "config": {"rate": 1}},
        {"cpu": {"vendor": "one"}, "variables": {"MKL_CBWR": "AVX2"}},
    )
    now = Identity(
        {"source": {"samerun": "s2", "user": {"a.py": "2"}}, "inputs": {"x": "2"}, "config": {"rate": 2}},
        {"cpu": {"vendor": "two"}, "variables": {}},
    )
    assert [one.kind for one in identity_differences(then, now)] == [
        "setting",
        "data",
        "samerun",
        "source",
        "platform",
        "variable",
    ]


def test_a_variable_that_is_gone_is_named_and_one_of_another_place_is_not() -> None:
    recorded = {"CUDA_VISIBLE_DEVICES": "0", "SLURM_JOB_ID": "7", "LANG": "C", "OMP_NUM_THREADS": "1"}
    (found,) = variable_differences(recorded, {"OMP_NUM_THREADS": "1"})
    assert str(found) == "variable CUDA_VISIBLE_DEVICES: 0 then, nothing here"
