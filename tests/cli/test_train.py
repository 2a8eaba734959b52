"""`samerun train`: recipes and scripts, started, stopped, gone on with, refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samerun.record.show import show

TINY = ("-s", "steps=4", "-s", "schedule.kind=constant", "-s", "model.hidden=[8]")
RECIPE = "trainer: supervised\nsteps: 2\ntask: {kind: digits}\nmodel: {kind: mlp, hidden: [8]}\n"
FIELDS = ["schema", "run", "identity", "status", "step", "state_digest", "metrics", "checkpoint", "steps_trained"]


def test_a_recipe_is_started_stopped_and_gone_on_with(samerun: Any, tmp_path: Path) -> None:
    stopped = samerun("train", "digits", *TINY, "--name", "a", "--stop-after", "2", "--json")
    assert stopped.code == 75, stopped.err
    assert list(stopped.document) == FIELDS
    assert stopped.document["schema"] == "samerun.train/1"
    assert (stopped.document["status"], stopped.document["step"]) == ("stopped", 2)
    assert stopped.document["checkpoint"] == "checkpoints/step-00000002"
    done = samerun("train", "digits", *TINY, "--name", "a", "--json")
    assert done.code == 0, done.err
    assert (done.document["run"], done.document["status"], done.document["step"]) == (
        stopped.document["run"],
        "completed",
        4,
    )
    again = samerun("train", "digits", *TINY, "--name", "a", "--json")
    assert (again.code, again.document["state_digest"]) == (0, done.document["state_digest"])
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_another_identity_is_a_new_run_and_one_line_says_what_moved(samerun: Any, tmp_path: Path) -> None:
    samerun("train", "digits", *TINY, "--name", "a", "--stop-after", "1", "-q")
    other = samerun("train", "digits", *TINY, "--name", "a", "-s", "batch_size=32", "--stop-after", "1")
    assert other.code == 75
    assert "batch_size" in other.err and "samerun resume" in other.err
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_new_makes_a_fresh_run_and_continue_only_refuses_one(samerun: Any, tmp_path: Path) -> None:
    refused = samerun("train", "digits", *TINY, "--name", "a", "--continue-only", "--json")
    assert refused.code == 3
    assert refused.error["evidence"]
    for _ in range(2):
        assert samerun("train", "digits", *TINY, "--name", "a", "--new", "--stop-after", "1", "-q").code == 75
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_script_gets_its_arguments_and_its_output_stays_out_of_the_document(samerun: Any, made: Path) -> None:
    done = samerun("train", "loop.py", "--name", "mine", "--json", "--", "--rate", "0.3", cwd=made)
    assert done.code == 0, done.err
    assert done.document["status"] == "completed"
    assert "the script speaks" in done.err
    config = json.loads((made / done.document["run"] / "config.json").read_bytes())
    assert config["values"] == {"rate": 0.3}


def test_a_script_can_be_told_how_to_save(samerun: Any, made: Path) -> None:
    done = samerun("train", "loop.py", "--name", "saves", "-s", "checkpoint.every=4", "--json", cwd=made)
    assert done.code == 0, done.err
    assert (made / done.document["run"] / "checkpoints/step-00000004").is_dir()
    refused = samerun("train", "loop.py", "-s", "rate=3", "--json", cwd=made)
    assert (refused.code, refused.error["code"]) == (2, "SR-TRAIN-001")


def test_a_scripts_own_folder_of_runs_is_kept_unless_one_is_given(samerun: Any, tmp_path: Path, made: Path) -> None:
    text = (made / "loop.py").read_text().replace("seed=7)", "seed=7, runs='own')")
    (tmp_path / "own.py").write_text(text)
    kept = samerun("train", "own.py", "--stop-after", "1", "--json")
    assert kept.document["run"].startswith("own/loop-")
    given = samerun("train", "own.py", "--stop-after", "1", "--runs", "given", "--json")
    assert given.document["run"].startswith("given/loop-")


def test_a_kind_that_resets_a_table_is_said(samerun: Any) -> None:
    done = samerun("train", "digits", "-s", "optimizer.kind=sgd", "-s", "schedule.kind=constant", "--stop-after", "0")
    assert done.code == 75, done.err
    assert "optimizer" in done.err and "schedule" in done.err


def test_a_script_that_fails_shows_its_traceback_and_keeps_its_run(samerun: Any, tmp_path: Path, made: Path) -> None:
    text = (made / "loop.py").read_text().replace("step.log(", "assert step.index < 5\n        step.log(")
    (tmp_path / "fails.py").write_text(text)
    done = samerun("train", "fails.py", "--json")
    assert (done.code, done.error["code"]) == (70, "SR-TRAIN-070")
    assert "AssertionError" in done.err and "fails.py" in done.err
    (run,) = (tmp_path / "runs").iterdir()
    assert json.loads((run / "manifest.json").read_bytes())["status"] == "failed"
    advice = f"samerun resume runs/{run.name} --allow-drift source"
    assert done.error["do"].endswith(advice)
    (tmp_path / "fails.py").write_text((made / "loop.py").read_text())
    done = samerun(*advice.split()[1:], "--json")
    assert (done.code, done.document["step"]) == (0, 8), done.out


def test_a_script_that_starts_nothing_is_said_to(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text("print(3)\n")
    done = samerun("train", "idle.py", "--json")
    assert (done.code, done.error["code"]) == (2, "SR-TRAIN-003")
    assert samerun("train", "gone.py", "--json").error["code"] == "SR-TRAIN-004"


def test_a_script_that_exits_with_zero_at_its_end_is_answered_for(samerun: Any, tmp_path: Path, made: Path) -> None:
    (tmp_path / "exits.py").write_text((made / "loop.py").read_text() + "import sys\nsys.exit(0)\n")
    done = samerun("train", "exits.py", "--json")
    assert (done.code, done.document["status"]) == (0, "completed")


def test_a_script_that_exits_keeps_its_exit_code(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "leaves.py").write_text("raise SystemExit(9)\n")
    assert samerun("train", "leaves.py").code == 9


def test_a_dry_run_names_the_run_and_writes_nothing(samerun: Any, tmp_path: Path, made: Path) -> None:
    fresh = samerun("train", "digits", "--name", "a", "--dry-run", "--json")
    assert fresh.code == 0, fresh.err
    assert fresh.document["action"] == "start"
    assert fresh.document["run"].startswith("runs/a-")
    assert fresh.document["not_looked_at"].startswith("data and model")
    assert not (tmp_path / "runs").exists()
    script = samerun("train", "loop.py", "--dry-run", "--json", "--", "--rate", "1", cwd=made)
    assert script.document["arguments"] == ["--rate", "1"]


@pytest.mark.parametrize("seed", ["-1", str(2**128), "7.0", "true", "seven", "", "9" * 5000])
def test_a_seed_that_cannot_be_is_refused(samerun: Any, seed: str) -> None:
    done = samerun("train", "digits", "--seed", seed, "--json")
    assert (done.code, done.error["code"][:8]) == (2, "SR-SEED-")


@pytest.mark.parametrize("text", ["true", "7.0", "'7'", "-1", str(2**128)])
def test_a_seed_that_cannot_be_is_refused_in_a_recipe_too(samerun: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(f"{RECIPE}seed: {text}\n")
    done = samerun("train", "a.yaml", "--json")
    assert done.code == 2
    assert done.error["evidence"] and "a.yaml:5" in " ".join([done.error["what"], *done.error["evidence"]])


def test_all_problems_of_a_recipe_come_at_once_and_nothing_is_made(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(RECIPE.replace("steps: 2", "steps: two") + "bach_size: 3\ntier: exakt\n")
    done = samerun("train", "bad.yaml", "-s", "optimizer.rate=1", "--json")
    assert done.code == 2
    assert len(done.error["evidence"]) == 4
    assert "batch_size" in " ".join(done.error["evidence"])
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["dgits"], "SR-CONFIG-002"),
        ([".", "--stop-after", "1"], "SR-CONFIG-002"),
        (["digits", "--", "--lr", "1"], "SR-TRAIN-002"),
        (["digits", "--time-limit", "soon"], "SR-TIME-001"),
        (["digits", "--stop-after", "-1"], "SR-CLI-004"),
        (["digits", "--name", "a/b"], "SR-CONFIG-005"),
        (["digits", "-s", "steps"], "SR-CONFIG-008"),
    ],
)
def test_wrong_usage_is_named(samerun: Any, arguments: list[str], code: str) -> None:
    done = samerun("--json", "train", *arguments)
    assert (done.code, done.error["code"]) == (2, code), done.out
    assert "Traceback" not in done.err


def test_a_device_that_is_not_here_is_missing(samerun: Any) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is one here")
    done = samerun("train", "digits", "-s", "device=cuda", "--json")
    assert done.code == 4


def test_a_run_that_another_process_holds_is_locked(samerun: Any, made: Path) -> None:
    from samerun.base.lock import RunLock, owner_facts

    stopped = samerun("train", "digits", *TINY, "--name", "held", "--stop-after", "1", "--json", cwd=made)
    lock = RunLock(made / stopped.document["run"] / ".lock")
    lock.acquire(owner_facts())
    try:
        done = samerun("train", "digits", *TINY, "--name", "held", "--json", cwd=made)
    finally:
        lock.release()
    assert done.code == 7
    assert "pid" in " ".join(done.error["evidence"])


def test_the_text_says_how_to_go_on(samerun: Any) -> None:
    done = samerun("train", "digits", *TINY, "--name", "a", "--stop-after", "1")
    assert done.out.startswith("stopped\n  run ")
    assert "go on with: samerun resume runs/a-" in done.err


PLANTED = """import os, random, threading

import numpy as np
import torch
import samerun

split = random.sample(range(9), 3)
with samerun.start("planted", seed=7) as run:
    weight = torch.randn(4)
    for epoch in run.epochs(2):
        order = torch.randperm(4)
        for step, item in epoch.steps([1, 2]):
            noise = torch.rand(2) + random.random() + np.random.rand()
            if step.index == 1:
                np.random.seed(3)
                made = np.random.default_rng(int.from_bytes(os.urandom(8), "big"))
                thread = threading.Thread(target=lambda: random.random())
                thread.start()
                thread.join()
"""
FOUND = [
    (7, None, "SR-GUARD-001", 1),
    (11, 0, "SR-GUARD-001", 2),
    (15, 1, "SR-GUARD-003", 1),
    (16, 1, "SR-GUARD-005", 1),
    (17, 1, "SR-GUARD-002", 1),
]


def test_a_guard_names_each_planted_call_with_its_line_and_step(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    done = samerun("train", "planted.py", "--guard", "record")
    assert done.code == 0 and "guard: at 5 call sites, 6 times" in done.err
    shown = samerun("show", "planted", "--json").document["guarded"]["found"]
    assert [(one["line"], one.get("step"), one["code"], one["count"]) for one in shown] == FOUND
    assert {one["file"] for one in shown} == {"planted.py"}
    text = samerun("show", "planted").out
    assert "planted.py:11 in <module>: torch.randperm, between steps, 2 times, first at step 0" in text


def test_a_guard_that_raises_ends_with_exit_3(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED.replace("split = random", "split = random.Random(3)"))
    done = samerun("train", "planted.py", "--guard", "raise", "--json")
    assert done.code == 3 and done.document["error"]["code"] == "SR-GUARD-001"
    assert any("planted.py:11" in line for line in done.document["error"]["evidence"])


LOADERS = """import random, sys, tempfile

import numpy as np
import torch
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset

import samerun


class Noisy(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        random.seed(index)
        return torch.full((4,), float(index)) + torch.randn(4) + random.random() + np.random.rand()


def augment(item):
    return item + torch.randn(4) * random.random() + np.random.rand()


def main():
    with samerun.start("loaders", seed=7) as run:
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.3), torch.nn.Linear(8, 1))
        optim = torch.optim.SGD(model.parameters(), 0.01)
        ours = run.loader(Noisy(), batch_size=4, transform=augment, num_workers=1)
        inline = run.loader(Noisy(), batch_size=4, transform=augment, name="inline")
        theirs = DataLoader(Noisy(), batch_size=4, shuffle=True, num_workers=1)
        run.track(model=model, optim=optim, ours=ours, inline=inline)
        for epoch in run.epochs(2):
            for step, batch in epoch.steps(theirs):
                loss = checkpoint(model, next(ours) + next(inline) + batch, use_reentrant=False).square().mean()
                optim.zero_grad()
                loss.backward()
                optim.step()
                step.log(loss=loss)
            random.shuffle([1, 2, 3])
        with run.evaluation("end") as evaluation:
            evaluation.log(x=torch.rand(1).item())
        tempfile.mkdtemp()


if __name__ == "__main__":
    main()
"""
TAME = ["-s", "schedule.kind=constant", "-s", "checkpoint.best=null"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["digits", "-s", "steps=30", *TAME],
        ["text-gpt", "-s", "steps=3", *TAME],
        ["plain_loop.py"],
        ["epoch_loop.py", "--", "--epochs", "2"],
        ["loaders.py"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_clean_training_passes_the_strictest_guard_and_moves_no_bit_of_its_trail(
    arguments: list[str], tmp_path: Path, repository: Path
) -> None:
    for example in (repository / "examples").glob("*.py"):
        (tmp_path / example.name).write_text(example.read_text())
    (tmp_path / "loaders.py").write_text(LOADERS)
    trails = []
    for guard in ([], ["--guard", "record"], ["--guard", "raise"]):
        # In a process of its own, since loader workers import the script from its file.
        command = [sys.executable, "-m", "samerun", "train", arguments[0], "--new", "--json", *guard, *arguments[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        folder = tmp_path / json.loads(done.stdout)["run"]
        trails.append((folder / "trail.jsonl").read_bytes())
        shown = show(folder).guarded
        assert (None if shown is None else (shown.mode, shown.found)) == ((guard[1], ()) if guard else None)
    assert len(set(trails)) == 1 and trails[0]


def test_a_run_that_was_complete_already_is_told_from_one_that_trained(
    samerun: Any, tmp_path: Path, made: Path
) -> None:
    (tmp_path / "loop.py").write_text((made / "loop.py").read_text())
    first = samerun("train", "loop.py", "--stop-after", "3", "--json")
    assert (first.code, first.document["steps_trained"]) == (75, 3)
    assert samerun("resume", "@last", "--json").document["steps_trained"] == 5
    for command in (["train", "loop.py"], ["resume", "@last"]):
        assert "\ncompleted: was complete already: nothing was trained\n" in samerun(*command).out
        again = samerun(*command, "--json").document
        assert (again["status"], again["step"], again["steps_trained"]) == ("completed", 8, 0)


def test_numbers_that_are_none_rows_to_make_again_and_missing_inputs_are_shown(
    samerun: Any, tmp_path: Path, made: Path
) -> None:
    text = (made / "loop.py").read_text()
    (tmp_path / "loop.py").write_text(text.replace("loss=loss)", "loss=loss)\n        assert step.index < 5"))
    assert samerun("train", "loop.py", "-s", "checkpoint.every=3").code == 70
    shown = samerun("show", "@last").out
    assert "2 rows beyond the newest checkpoint will be made again" in shown
    assert "  inputs    none: files that the program reads by itself are not in the identity" in shown
    assert "run.input(path)" in samerun("identity", "@last").out
    nan = text.replace("loss=loss)", "loss=loss * float('nan'))")
    (tmp_path / "nan.py").write_text(nan.replace("run.track(model", "run.input('loop.py'); run.track(model"))
    done = samerun("train", "nan.py", "--name", "nan")
    assert done.code == 0 and done.err.count("samerun: train/loss is NaN in step 0; the run goes on") == 1
    shown = samerun("show", "nan").out
    assert "train/loss, first in step 0" in shown and "input/loop.py" in shown and "beyond" not in shown
    assert "none:" not in samerun("identity", "nan").out


LOOP = """import samerun

with samerun.start("loop", seed=7) as run:
    for step in run.steps(2):
        step.log(number=step.index)
"""


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_a_dirty_tree_that_no_record_holds_needs_to_be_allowed(samerun: Any, tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    git(tmp_path, "init", "-q", "-b", "trunk")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    (tmp_path / "loop.py").write_text(LOOP.replace("steps(2)", "steps(3)"))
    assert samerun("train", "loop.py", "-q", cwd=tmp_path).code == 0
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(5 << 20)
    assert samerun("train", "loop.py", "--name", "untracked", "-q", cwd=tmp_path).code == 0
    git(tmp_path, "add", "large.bin")
    refused = samerun("train", "loop.py", "--name", "large", "--json", cwd=tmp_path)
    assert (refused.code, refused.error["code"]) == (3, "SR-SOURCE-001")
    assert refused.error["evidence"] == ["large.bin: larger than 4.0 MiB"]
    assert not [path for path in (tmp_path / "runs").iterdir() if path.name.startswith("large")]
    assert samerun("train", "loop.py", "--name", "large", "--allow-dirty", "-q", cwd=tmp_path).code == 0
    shown = samerun("show", "large", "--json", cwd=tmp_path).document["source"]
    assert (shown["is_dirty"], shown["is_complete"], shown["incomplete"]) == (True, False, refused.error["evidence"])
    alone = subprocess.run([sys.executable, "loop.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "the record cannot give this source back: large.bin: larger than 4.0 MiB" not in alone.stderr
