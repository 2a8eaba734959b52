"""What the probing child says, asked in this process."""

from __future__ import annotations

import json

import pytest
import torch

from samerun.tiers import child


def test_the_instruction_set_is_the_one_torch_uses_here() -> None:
    found = child.torch_facts()
    assert found is not None and found["capability"] == torch.backends.cpu.get_cpu_capability()


def test_versions_of_the_libraries_inside_torch_are_named() -> None:
    found = child.torch_facts()
    assert found is not None and found["version"] == torch.__version__ and found["onednn"] and found["blas"]


def test_numpy_names_its_blas() -> None:
    found = child.numpy_facts()
    assert found is not None and "blas" in found["blas"] and found["instructions"]


def test_it_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    child.main()
    assert set(json.loads(capsys.readouterr().out)) == {"numpy", "torch", "gpus"}
