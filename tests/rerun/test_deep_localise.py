"""The quick part of the benchmark of truthfulness (bench/localise): planted faults, and what must be named of each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samerun.judge.diff import diff
from samerun.rerun.deep import diff_deep

sys.path.append(str(Path(__file__).parents[2] / "bench" / "localise"))
from equal import EQUAL
from expected import Equal, Fault
from judging import judge
from making import Maker
from plain import PLAIN
from supervised import SUPERVISED

FAULTS = {fault.name: fault for fault in (*PLAIN, *SUPERVISED)}
PAIRS = {pair.name: pair for pair in EQUAL}
BY_DIFF = (
    "one-ulp@8 head",
    "minus-zero@6",
    "draw-stream@6",
    "draw-python@6",
    "swap-batches@6",
    "moment-late@6",
    "average-skipped@6",
    "metric-renamed@6",
    "model: norm-momentum@6",
)
BY_DEEP = ("turned-round@6", "model: ulp-backward@6 third")
QUIET = ("a thinned trail", "stopped at 6 and resumed")


@pytest.fixture(scope="session")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Maker]:
    made = Maker(tmp_path_factory.mktemp("localise"))
    yield made
    made.close()


def named(names: tuple[str, ...], table: dict[str, Fault] | dict[str, Equal]) -> list[object]:
    return [pytest.param(table[name], id=name) for name in names]


def test_the_table_is_as_large_as_it_is_said_to_be() -> None:
    assert len(FAULTS) == len(PLAIN) + len(SUPERVISED) >= 60
    assert len(PAIRS) == len(EQUAL) >= 30


@pytest.mark.parametrize("fault", named(BY_DIFF, FAULTS))
def test_a_planted_fault_is_located(maker: Maker, fault: Fault) -> None:
    assert judge(fault, diff(*maker.fault(fault)), is_deep=False).missed == ()


@pytest.mark.parametrize("fault", named(BY_DEEP, FAULTS))
def test_a_planted_fault_is_located_down_to_its_operation(
    maker: Maker, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(maker.project)
    assert judge(fault, diff_deep(*maker.fault(fault)), is_deep=True).missed == ()


@pytest.mark.parametrize("pair", named(QUIET, PAIRS))
def test_equal_runs_raise_no_alarm(maker: Maker, pair: Equal) -> None:
    assert diff(*maker.equal(pair)).is_same


def test_an_expectation_that_is_not_met_is_told(maker: Maker) -> None:
    one, other = FAULTS["draw-python@6"], FAULTS["flip@1 first"]
    judged = judge(one, diff(*maker.fault(other)), is_deep=False)
    assert [words.split()[0] for words in judged.missed] == ["step", "component", "kind"]
