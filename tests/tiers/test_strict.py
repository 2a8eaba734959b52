"""Strict mode: the same one that torch's switch sets, at a fraction of the cost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

from samerun.tiers.strict import ERROR, INDUCTOR_VARIABLE, OFF, WARN, set_strictness, strictly, strictness


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    yield
    set_strictness(OFF)


@pytest.mark.parametrize(("value", "is_on", "warns"), [(OFF, False, False), (WARN, True, True), (ERROR, True, False)])
def test_it_is_the_mode_that_torch_knows(value: int, is_on: bool, warns: bool) -> None:
    set_strictness(value)  # type: ignore[arg-type]
    assert torch.are_deterministic_algorithms_enabled() is is_on
    assert torch.is_deterministic_algorithms_warn_only_enabled() is warns
    assert strictness() == value


def test_a_block_puts_it_back_also_on_an_exception() -> None:
    set_strictness(ERROR)
    with pytest.raises(ValueError, match="x"), strictly(OFF):
        assert strictness() == OFF
        raise ValueError("x")
    assert strictness() == ERROR


def test_the_compiler_is_told_by_its_variable_as_long_as_it_is_not_loaded() -> None:
    program = """
import os, sys, torch
from samerun.tiers.enforce import enforce
enforce("exact")
print("torch._inductor.config" in sys.modules)
import torch._inductor.config
print(torch._inductor.config.deterministic)
enforce("fast", 1)
print(torch._inductor.config.deterministic)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


def test_the_variable_that_is_set_here_goes_again() -> None:
    if "torch._inductor.config" in sys.modules:
        pytest.skip("the compiler is loaded: its flag is set instead")
    set_strictness(ERROR)
    assert os.environ[INDUCTOR_VARIABLE] == "1"
    set_strictness(OFF)
    assert INDUCTOR_VARIABLE not in os.environ
