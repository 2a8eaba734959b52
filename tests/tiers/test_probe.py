"""Platform facts: what moves them, what does not, and that they cost no torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from samerun.base.canon import canonical_bytes
from samerun.base.digest import sha256
from samerun.errors import MissingError, RefusedError
from samerun.tiers import probe
from samerun.tiers.probe import installed_digest, platform_facts, probe_enforced

FACTS = """
import json, sys
from samerun.tiers.probe import platform_facts
facts = platform_facts("auto", "exact")
print(json.dumps({"facts": facts, "loaded": [name for name in ("torch", "numpy") if name in sys.modules]}))
"""
# A product for MKL, a convolution for oneDNN.
BITS = """
import numpy as np, torch
from samerun.tiers.enforce import enforce
enforce("exact")
numbers = np.random.Generator(np.random.Philox(key=7))
a = torch.from_numpy(numbers.random((300, 300), dtype=np.float32))
image = torch.from_numpy(numbers.random((8, 3, 32, 32), dtype=np.float32))
weight = torch.from_numpy(numbers.random((16, 3, 3, 3), dtype=np.float32))
print((a @ a).numpy().tobytes().hex()[:200_000], torch.conv2d(image, weight).numpy().tobytes().hex())
"""


@cache
def child(program: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def digest(**variables: str) -> str:
    return sha256(canonical_bytes(json.loads(child(FACTS, **variables))["facts"]))


def test_facts_name_the_versions_the_device_and_the_processor() -> None:
    import numpy
    import torch

    facts = platform_facts(1, "exact")
    assert facts["numpy"]["version"] == numpy.__version__ and facts["torch"]["version"] == torch.__version__
    assert facts["tier"] == "exact" and facts["threads"] == 1 and facts["world_size"] == 1
    assert facts["cpu"]["vendor"] and facts["cpu"]["torch_capability"] and facts["device"] == {"kind": "cpu"}


def test_facts_need_neither_torch_nor_numpy_in_this_process() -> None:
    assert json.loads(child(FACTS))["loaded"] == []


@pytest.mark.parametrize("change", [{"threads": 2}, {"tier": "fast", "threads": 1}, {"world_size": 2}])
def test_threads_tier_and_world_size_move_the_facts(change: dict[str, object]) -> None:
    plain: dict[str, object] = {"threads": 1, "tier": "exact"}
    assert platform_facts(**{**plain, **change}) != platform_facts(**plain)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [1, 2])
def test_python_without_its_asserts_moves_the_platform_digest(level: int) -> None:
    facts = json.loads(child(FACTS, PYTHONOPTIMIZE=str(level)))["facts"]
    assert facts["python_optimize"] == level
    plain = platform_facts("auto", "exact")
    assert {name for name in facts if facts[name] != plain[name]} == {"python_optimize"}


def test_a_variable_that_says_secret_moves_no_digest_and_stands_nowhere() -> None:
    assert digest(TORCH_TOKEN="plainword", PYTORCH_API_KEY="another") == digest()
    assert "plainword" not in child(FACTS, TORCH_TOKEN="plainword", PYTORCH_API_KEY="another")


@pytest.mark.parametrize(
    ("name", "value"), [("MKL_CBWR", "COMPATIBLE"), ("ONEDNN_MAX_CPU_ISA", "SSE41"), ("ATEN_CPU_CAPABILITY", "default")]
)
def test_a_variable_that_chooses_kernels_moves_the_platform_digest(name: str, value: str) -> None:
    assert digest(**{name: value}) != digest()


@pytest.mark.parametrize(("name", "value"), [("MKL_CBWR", "COMPATIBLE"), ("ONEDNN_MAX_CPU_ISA", "SSE41")])
def test_such_a_variable_moves_bits_on_this_processor(name: str, value: str) -> None:
    if "avx2" not in probe.cpu_class()["instructions"]:
        pytest.skip("this processor has no wider kernels to fall back from")
    assert child(BITS, **{name: value}) != child(BITS)


def test_a_variable_on_the_aside_list_moves_no_digest() -> None:
    assert digest(OMP_NUM_THREADS="2", MKL_VERBOSE="0", TORCH_HOME="elsewhere") == digest()


def test_working_folder_user_and_hash_seed_move_no_digest(tmp_path: Path) -> None:
    assert digest(USER="somebody", HOSTNAME="else", PYTHONHASHSEED="2", TZ="Asia/Tokyo") == digest()


def test_no_path_and_no_host_name_stands_in_the_facts() -> None:
    text = json.dumps(platform_facts(1, "exact"))
    assert str(Path.home()) not in text and os.uname().nodename not in text


def test_a_damaged_cache_entry_is_probed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    facts = platform_facts(1, "exact")
    (entry,) = (tmp_path / "samerun").iterdir()
    entry.write_bytes(entry.read_bytes().replace(b"torch", b"hcrot"))
    assert platform_facts(1, "exact") == facts


def test_a_cache_that_cannot_be_written_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = platform_facts(1, "exact")
    (tmp_path / "samerun").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert platform_facts(1, "exact") == facts


def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = platform_facts(1, "exact")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "nowhere")
    monkeypatch.chdir(tmp_path)
    assert platform_facts(1, "exact") == facts and not list(tmp_path.iterdir())


def test_a_variable_set_after_torch_was_loaded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    if torch.backends.cpu.get_cpu_capability() == "DEFAULT":
        pytest.skip("torch has one instruction set here")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    with pytest.raises(RefusedError, match="SR-TIER-008"):
        platform_facts(1, "exact")


def test_a_gpu_that_is_not_there_has_no_facts() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(MissingError, match="SR-TIER-004"):
        platform_facts(1, "exact", device="cuda")
    assert platform_facts(1, "exact", device="auto") == platform_facts(1, "exact", device="cpu")


def test_a_torch_that_cannot_be_imported_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart is missing')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(MissingError, match="SR-TIER-009") as caught:
        platform_facts(1, "exact")
    assert "libcudart is missing" in str(caught.value)


def test_which_build_is_installed_is_known_without_importing_it() -> None:
    assert str(installed_digest("torch")).startswith("sha256:")
    assert installed_digest("a_package_that_is_not_here") is None


def test_flushed_denormals_are_seen() -> None:
    import torch

    assert probe_enforced()["flushes_denormals"] is False
    if torch.set_flush_denormal(True):
        try:
            assert probe_enforced()["flushes_denormals"] is True
        finally:
            torch.set_flush_denormal(False)
