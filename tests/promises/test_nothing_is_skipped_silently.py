"""Promise 9: what cannot be restored or read is refused with the reason; damage is never accepted."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from promise_lab import Lab, content, only_run

from samerun.errors import SamerunError
from samerun.judge.integrity import check_files
from samerun.record.reader import RunRecord

OPTIONS: dict[str, Any] = {"steps": 6, "checkpoint": {"every": 2, "keep": 2}}
NOT_CHECKED = {".lock", ".lock.owner"}
"""Files of a lock: they hold nothing of the run."""


@pytest.fixture(scope="module")
def run(here: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    assert here.run("plain", runs, stop_after=5, **OPTIONS) == 75
    return only_run(runs)


def copied(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "runs" / run.name))


def files_of(run: Path) -> list[Path]:
    found = [path.relative_to(run) for path in sorted(run.rglob("*")) if path.is_file()]
    return [path for path in found if path.name not in NOT_CHECKED and (run / path).stat().st_size]


def problems(folder: Path) -> list[str]:
    try:
        return [str(problem) for problem in check_files(RunRecord.open(folder))]
    except SamerunError as error:
        return [str(error)]


def test_a_flipped_bit_in_any_file_is_found_and_named(run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    assert problems(folder) == []
    for path in files_of(run):
        whole = (run / path).read_bytes()
        for place in {len(whole) // 3, len(whole) - 1}:
            damaged = bytearray(whole)
            damaged[place] ^= 1
            (folder / path).write_bytes(damaged)
            found = problems(folder)
            assert found and any(path.name in text for text in found), f"{path} byte {place}: {found}"
        (folder / path).write_bytes(whole)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_any_flipped_byte_of_the_small_files_is_found(run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    for path in files_of(run):
        whole = (run / path).read_bytes()
        if len(whole) > 6000:
            continue
        for place in range(len(whole)):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << (place % 8)
            (folder / path).write_bytes(damaged)
            assert problems(folder), f"{path} byte {place}"
        (folder / path).write_bytes(whole)


def test_a_missing_file_is_found(run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    for path in files_of(run):
        if path.name == "local.json":  # paths of this machine; a packed run has none
            continue
        (folder / path).rename(tmp_path / "taken")
        assert problems(folder), f"without {path}"
        (tmp_path / "taken").rename(folder / path)


@pytest.mark.parametrize("name", ["model.safetensors", "state.json", "checkpoint.json"])
def test_a_damaged_newest_checkpoint_stops_a_resume_and_a_fallback_goes_on(
    here: Lab, run: Path, tmp_path: Path, name: str
) -> None:
    folder = copied(run, tmp_path)
    damaged = folder / "checkpoints" / "step-00000005" / name
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 4
    damaged.write_bytes(data)
    assert here.run("plain", folder.parent, **OPTIONS) == 6
    assert name in here.words
    whole = here.done("plain", tmp_path / "whole", **OPTIONS)
    assert here.done("plain", folder.parent, fallback=True, **OPTIONS) == whole
    assert any(path.name == "step-00000005" for path in (folder / "attempts").rglob("*"))


def test_an_older_damaged_checkpoint_blocks_nothing(here: Lab, run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    (folder / "checkpoints" / "step-00000000" / "checkpoint.json").write_bytes(b"{}")
    assert here.done("plain", folder.parent, **OPTIONS)["status"] == "completed"


def test_a_log_shorter_than_its_checkpoint_says_is_damage(here: Lab, run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    lines = (folder / "trail.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "trail.jsonl").write_bytes(b"".join(lines[:-1]))
    assert here.run("plain", folder.parent, **OPTIONS) == 6
    assert "trail.jsonl" in here.words


def test_a_torn_last_line_behind_the_checkpoint_is_moved_and_nothing_is_lost(
    here: Lab, run: Path, tmp_path: Path
) -> None:
    folder = copied(run, tmp_path)
    with (folder / "metrics.jsonl").open("ab") as log:
        log.write(b'{"step":5,"train/lo')
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["status"] == "stopped"
    found = here.done("plain", folder.parent, **OPTIONS)
    assert found == here.done("plain", tmp_path / "whole", **OPTIONS) == content(folder)


def test_a_run_folder_without_manifest_but_with_checkpoints_is_refused(here: Lab, run: Path, tmp_path: Path) -> None:
    folder = copied(run, tmp_path)
    (folder / "manifest.json").unlink()
    assert here.run("plain", folder.parent, **OPTIONS) == 6
    assert "manifest.json" in here.words


@pytest.fixture
def crowd(here: Lab, tmp_path: Path) -> Callable[..., list[int]]:
    """Return `crowd(number, **options)`: so many starts of one loop in one instant, and the exit code of each."""
    answer = tmp_path / "answer"

    def started(number: int, runs: str = "runs", **options: Any) -> list[int]:
        assert here.run("crowd", tmp_path / runs, number=number, answer=str(answer), **options) == 0, here.words
        return list(json.loads(answer.read_text()))

    assert started(1, "warm") == [0]  # reads and digests the source once, for all
    return started


def test_of_fifty_starts_in_one_instant_one_trains_and_the_others_are_refused_or_find_it_done(
    crowd: Callable[..., list[int]], tmp_path: Path
) -> None:
    ends = crowd(50)
    assert 0 in ends and set(ends) <= {0, 7} and len(ends) == 50
    found = content(only_run(tmp_path / "runs"))
    assert found["status"] == "completed" and [row["step"] for row in found["metrics"]] == [0, 1]
    assert problems(only_run(tmp_path / "runs")) == []


@pytest.mark.parametrize("number", [8, pytest.param(50, marks=pytest.mark.slow)])
def test_new_runs_in_one_instant_each_get_a_folder_and_are_the_same_run(
    crowd: Callable[..., list[int]], tmp_path: Path, number: int
) -> None:
    assert crowd(number, new=True) == [0] * number
    folders = sorted(path for path in (tmp_path / "runs").iterdir() if path.name.startswith("crowd-"))
    assert len(folders) == number
    first = content(folders[0])
    assert first["status"] == "completed" and all(content(folder) == first for folder in folders[1:])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twelve_real_commands_in_one_instant_make_one_run(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    words = ["train", "digits", "-q", "-s", "steps=30", "--runs", str(runs), "--json"]
    started = [
        subprocess.Popen([sys.executable, "-m", "samerun", *words], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
        for _ in range(12)
    ]
    answers = [(process.communicate()[0], process.returncode) for process in started]
    assert {code for _, code in answers} <= {0, 7} and 0 in {code for _, code in answers}
    for text, code in answers:
        document = json.loads(text)
        assert document["step"] == 30 if code == 0 else document["error"]["code"] == "SR-LOCK-001"
    assert problems(only_run(runs)) == [] and content(only_run(runs))["status"] == "completed"
