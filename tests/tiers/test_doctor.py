"""What this machine can promise, in lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samerun.tiers import doctor
from samerun.tiers.doctor import diagnose


def texts(topic: str) -> list[str]:
    return [line.text for line in diagnose() if line.topic == topic]


def test_each_device_and_each_tier_is_spoken_of() -> None:
    (cpu,) = texts("cpu")
    assert "exact" in cpu and "fast" in cpu
    assert len(texts("cuda")) == 1 and texts("mps, xpu") == ["refused until tested"]


def test_a_set_variable_that_chooses_kernels_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    assert any("MKL_CBWR=COMPATIBLE" in text for text in texts("variable"))


def test_kernels_outside_torchs_flag_are_named_with_their_version(tmp_path: Path) -> None:
    info = tmp_path / "flash_attn-2.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flash-attn\nVersion: 2.9\n")
    sys.path.insert(0, str(tmp_path))
    try:
        assert any(text.startswith("flash-attn 2.9: attention") for text in texts("outside"))
    finally:
        sys.path.remove(str(tmp_path))


def test_a_broken_torch_is_a_line_and_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('broken')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = diagnose()[0]
    assert first.state == "missing" and "SR-TIER-009" in first.text


def test_no_torch_is_loaded() -> None:
    program = "import sys; from samerun.tiers.doctor import diagnose; diagnose(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_lines_are_json_ready() -> None:
    assert set(doctor.Line("cpu", "ok", "x").as_json()) == {"topic", "state", "text"}
