"""The whole audit: of our own source, of damaged files, of notebooks; equal files give an equal answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from samerun.audit.scan import audit, scan_file, scan_text

DRAW = "import random\nrandom.seed()\nfor name in {'a', 'b'}:\n    use(name)\n"
OWN_ALLOWANCES = {"src/samerun/data/hashing.py": ["SR122"], "src/samerun/streams/ambient.py": ["SR101"]}


def test_our_own_source_and_the_examples_raise_no_alarm(repository: Path) -> None:
    answer = audit(repository / "src/samerun", repository / "examples")
    assert [f"{one.place}: {one.code}: {one.what}" for one in answer.findings] == []
    allowed: dict[str, list[str]] = {}
    for one in answer.silenced:
        allowed.setdefault(Path(one.finding.path).relative_to(repository).as_posix(), []).append(one.finding.code)
    assert allowed == OWN_ALLOWANCES
    assert answer.files > 200


def test_findings_come_sorted(tmp_path: Path) -> None:
    for name in ("b.py", "a.py"):
        (tmp_path / name).write_text(DRAW)
    places = [(Path(one.path).name, one.line, one.code) for one in audit(tmp_path).findings]
    assert places == [("a.py", 2, "SR102"), ("a.py", 3, "SR121"), ("b.py", 2, "SR102"), ("b.py", 3, "SR121")]


def test_the_answer_is_the_same_in_every_process(tmp_path: Path) -> None:
    planted = Path(__file__).parent / "planted"
    for path in sorted(planted.glob("*.txt")):
        (tmp_path / f"{path.stem}.py").write_text(path.read_text("utf-8"), "utf-8")
    program = "import sys, json\nfrom samerun.audit.scan import audit\nprint(json.dumps(audit(sys.argv[1]).as_json()))"
    answers = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1 and len(json.loads(answers.pop())["findings"]) > 50


@pytest.mark.parametrize(
    "data",
    [b"x = (", b"\xff\xfe", b"x = 1\0", b"# coding: klingon\n", b"print 'x'", b"-" * 100_000 + b"1", b"(" * 500],
)
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.py").write_bytes(data)
    (finding,) = scan_file(tmp_path / "x.py").findings
    assert (finding.code, finding.grade) == ("SR100", "error") and "nothing can be said" in finding.what


def test_a_file_that_nests_deeply_is_read_or_named(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("x = " + " + ".join(["y"] * 3000) + "\nimport random\nrandom.seed()")
    assert {one.code for one in scan_file(tmp_path / "x.py").findings} <= {"SR100", "SR102"}


def test_an_empty_file_is_clean(tmp_path: Path) -> None:
    (tmp_path / "x.py").touch()
    assert audit(tmp_path / "x.py").is_clean


def test_a_notebook_names_cell_and_line(tmp_path: Path) -> None:
    cells = ["import random", "%time\nrandom.seed()", "x = ("]
    document = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    (tmp_path / "x.ipynb").write_text(json.dumps(document))
    found = audit(tmp_path).findings
    assert [(one.code, one.cell, one.line) for one in found] == [("SR102", 2, 2), ("SR100", 3, 1)]


def test_a_notebook_that_is_none_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text("no notebook")
    assert [one.code for one in audit(tmp_path).findings] == ["SR100"]


def test_the_advice_is_that_of_the_code_unless_more_is_known(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("import random\nrandom.seed()")
    (finding,) = audit(tmp_path / "x.py").findings
    assert "run.stream" in finding.do


ORDINARY = """
import glob, os, random, time
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(42)
torch.backends.cudnn.benchmark = True


class Images(Dataset):
    def __init__(self, root):
        self.paths = glob.glob(os.path.join(root, "*/*.png"))
        self.classes = list(set(os.path.dirname(path) for path in self.paths))

    def __getitem__(self, i):
        return self.paths[i] if random.random() < 0.5 else self.classes[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d((7, 7))

    def forward(self, x):
        return self.pool(x) + torch.randn_like(x)


def main():
    loader = DataLoader(Images("data"), batch_size=4, shuffle=True, num_workers=4)
    start, model = time.time(), Net()
    model.load_state_dict(torch.load("best.pt"))
    for batch in loader:
        loss = model(batch).sum()
        loss.backward()
        if time.time() - start > 3600:
            return
        torch.save(model.state_dict(), f"model_{loss.item():.3f}.pt")
    for name in sorted(os.listdir("data")):
        print(name)
"""


def test_an_ordinary_script_is_told_what_would_break_its_run() -> None:
    found = [(one.line, one.code) for one in scan_text(ORDINARY, "train.py").findings]
    assert found == [
        (7, "SR101"),
        (8, "SR141"),
        (13, "SR120"),
        (14, "SR121"),
        (17, "SR106"),
        (23, "SR143"),
        (30, "SR130"),
        (30, "SR131"),
        (32, "SR132"),
        (36, "SR171"),
        (38, "SR160"),
    ]
