"""Promise 10: a planted secret is found in no artefact of a run, in no spelling; nor are paths, user and host."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from promise_lab import rows
from secret_project import FORMS, environment, plant, secrets
from secret_search import contents, leaks, spellings

from samerun.record.source import gather
from samerun.record.source_document import write_source

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
from warm_process import Done, WarmProcess

USER = "alicia7"
LOCAL_ONLY = ("local.json", ".lock.owner")
"""What never leaves the machine: paths may stand there, secrets may not."""


class Place:
    """The project, its commands and everything they said."""

    def __init__(self, warm: WarmProcess, folder: Path) -> None:
        self._warm = warm
        self.home = folder / "home" / USER
        self.project = self.home / "project"
        self.runs = self.project / "runs"
        self.given = folder / "given"
        self.planted = secrets(11)
        self.said: list[tuple[str, str]] = []
        plant(self.project, self.planted)

    def samerun(self, *arguments: object) -> Done:
        """Run a command in the project and keep what it says."""
        variables = environment(self.planted, self.home)
        done = self._warm.run(*arguments, cwd=self.project, **variables)
        words = " ".join(str(argument) for argument in arguments[:2])
        self.said += [(f"stdout of {words}", done.out), (f"stderr of {words}", done.err)]
        return done

    def train(self, fails: str, *more: object) -> Done:
        """Train the script so that it fails in one of its ways, with secrets on its command line."""
        own = ["--api-key", self.planted["argument"], f"--token={self.planted['argument_sign']}"]
        data = f"{self.home}/sets/pictures?token={self.planted['query_path']}"
        # A tree with secrets in it cannot be given back whole, which has to be allowed.
        wishes = ["--new", "--allow-dirty", *more]
        words = [*own, "--data", data, f"--fails={fails}"]
        return self.samerun("train", self.project / "train.py", *wishes, "--", *words)

    def run_folder(self) -> Path:
        """The newest run."""
        return max(self.runs.iterdir(), key=lambda path: path.stat().st_mtime_ns)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    warm = WarmProcess(tmp_path_factory.mktemp("commands"))
    yield Place(warm, tmp_path_factory.mktemp("machine"))
    warm.close()


@pytest.fixture(scope="module")
def trained(place: Place) -> Place:
    """A run that was stopped, four that failed in their ways, and everything that the light verbs say of them."""
    assert place.samerun("train", place.project / "train.py", "--new").code == 3
    first = place.train("", "--stop-after", 3)
    assert first.code == 75, first.err[-3000:]
    for fails in ("body", "loader", "hook", "values"):
        assert place.train(fails).code not in (0, 75)
    for verb in (["show", "@last", "--json"], ["show", "@last~2"], ["ls", "--json"], ["identity", "@last", "--json"]):
        assert place.samerun(*verb).code == 0
    assert place.samerun("diff", "@last", "@last~3").code == 1
    assert place.samerun("streams", "@last").code == 0
    assert place.samerun("verify", "@last", "--files").code == 0
    (place.given / "packed").mkdir(parents=True)
    assert place.samerun("pack", "@last~4", "-o", place.given / "packed" / "canary.samerun.zip").code == 0
    assert place.samerun("reproduce", "@last~4", "--here", "--dry-run").code == 0
    # Its command line held secrets, which are not stored: nothing can be said.
    refused = place.samerun("reproduce", "@last~4", "--here", "--in", place.given / "refused", "--steps", 1)
    assert refused.code == 1 and refused.out.startswith("cannot_say")
    assert place.samerun("resume", "@last~4").code == 4
    return place


def test_no_artefact_of_a_run_holds_a_planted_secret(trained: Place) -> None:
    assert leaks(contents(trained.runs), trained.planted) == []


def test_neither_a_bundle_nor_a_reproduction_holds_one(trained: Place) -> None:
    plain = ["--new", "--allow-dirty", "--stop-after", 1]
    assert trained.samerun("train", trained.project / "train.py", *plain).code == 75
    again = trained.given / "again"
    assert trained.samerun("reproduce", "@last", "--here", "--in", again, "--steps", 1).code == 0
    packed = list(contents(trained.given / "packed"))
    # On the machine where a file of the project still lies as it ran, the project made again takes it from there.
    made = list(contents(again / "project" / "runs"))
    assert leaks(iter([*packed, *made]), trained.planted) == []
    assert all(any(name.endswith("!user/forms.py") for name, _ in found) for found in (packed, made))


def test_no_command_says_one(trained: Place) -> None:
    said = ((where, text.encode()) for where, text in trained.said)
    assert leaks(said, trained.planted) == []


def test_nothing_shareable_tells_whose_machine_it_was(trained: Place) -> None:
    machine = {"home": str(trained.home), "user": USER, "project": str(trained.project.parent.parent)}
    host = socket.gethostname()
    machine |= {"host": host} if len(host) > 3 else {}
    shareable = (found for found in contents(trained.runs) if not found[0].split(" ")[0].endswith(LOCAL_ONLY))
    assert leaks(shareable, machine) == []


def test_what_is_no_secret_is_still_there_to_be_read(trained: Place) -> None:
    config = json.loads((trained.run_folder() / "config.json").read_bytes())
    assert config["values"]["num_memory_tokens"] == 16 and config["values"]["tokenizer"] == "gpt2"
    assert "flat_password" in config["notes"][0]
    events = [row for run in trained.runs.iterdir() for row in rows(run / "events.jsonl")]
    assert any("[redacted]" in json.dumps(row) for row in events if row["event"] == "sink_failed")


def test_a_failure_is_recorded_with_its_words_without_its_secret(trained: Place) -> None:
    reasons = [json.loads((run / "manifest.json").read_bytes())["reason"] for run in sorted(trained.runs.iterdir())]
    assert any(
        reason and "cannot reach https://[redacted]@host/ with [local path]/sets" in reason for reason in reasons
    )
    assert any(reason and "password=[redacted] is wrong" in reason for reason in reasons)
    assert any(reason and "token=[redacted]" in reason for reason in reasons)


def test_the_search_finds_what_is_planted_in_each_spelling(trained: Place, tmp_path: Path) -> None:
    import tarfile
    import zipfile

    for number, (how, spelled) in enumerate(spellings(trained.planted["config_flat"]).items()):
        (tmp_path / f"{number}").write_bytes(b"before" + spelled + b"after")
        assert [found for found in leaks(contents(tmp_path), trained.planted) if f"({how})" in found], how
        (tmp_path / f"{number}").unlink()
    (tmp_path / "x").write_text(trained.planted["dotenv"])
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.write(tmp_path / "x", "inner", zipfile.ZIP_DEFLATED)
    with tarfile.open(tmp_path / "z.tar", "w") as packed:
        packed.add(tmp_path / "y.zip", "y.zip")
    found = leaks(contents(tmp_path), trained.planted)
    assert {text.partition(":")[0] for text in found} == {"x", "y.zip!inner", "z.tar!y.zip!inner"}


def test_a_second_scanner_finds_nothing_that_was_planted(trained: Place, tmp_path: Path) -> None:
    """detect-secrets, which knows nothing of our rules, reads every artefact, archives unpacked."""
    detect = pytest.importorskip("detect_secrets")
    from detect_secrets.settings import default_settings

    scanned = detect.SecretsCollection(root=str(tmp_path))
    with default_settings():
        for number, (name, data) in enumerate(contents(trained.runs)):
            if "!own/" in name or name.endswith((".tar", ".safetensors")):
                continue  # our own source is public, and what is packed comes by itself
            (tmp_path / f"{number}.txt").write_bytes(data)
            scanned.scan_file(f"{number}.txt")
        control = trained.planted["literal"]
        (tmp_path / "control.txt").write_text(f'password = "{control}"\n')
        scanned.scan_file("control.txt")
    values = {
        secret.secret_value for path, secret in scanned if path != "control.txt" and len(secret.secret_value or "") > 6
    }
    assert control in {secret.secret_value for path, secret in scanned if path == "control.txt"}
    planted = set(trained.planted.values())
    assert not [value for value in values if any(value in secret or secret in value for secret in planted)]


def test_a_cell_of_a_notebook_is_recorded_without_its_secret(place: Place, tmp_path: Path) -> None:
    words = place.planted
    cells = {
        "cell-0001.py": f"# {words['comment']}\nlogin(token='{words['literal']}')\n".encode(),
        "cell-0002.py": f"%env HF_TOKEN={words['config_shape']}\n!curl -u me:{words['loader']} https://h\n".encode(),
        "cell-0003.py": FORMS.format(**words).encode(),
        "cell-0004.py": f"!echo don't\n{FORMS.format(**words)}".encode(),
    }
    write_source(tmp_path, gather(tmp_path, [], cells=cells))
    assert leaks(contents(tmp_path), words) == []
    assert {f"cell-000{at}.py" for at in (1, 2, 3, 4)} <= {Path(name).name for name, _ in contents(tmp_path)}


PART = """
from samerun.config.parts import Part
from samerun.config.schema import Secret
from samerun.trainers.models.config import MlpTable


class NetTable(MlpTable):
    tracker: Secret
    '''Where the tracker's key is read from.'''
    other: Secret | None = None
    '''Another.'''


NET = Part("net", NetTable, "net_build:build", "a net that tells a tracker")
"""
BUILD = """
from samerun.trainers.models.mlp import build as mlp


def build(settings, shape, source):
    print("the tracker was told", len(settings.tracker.reveal()))
    return mlp(settings, shape, source)
"""
RECIPE = """
trainer: supervised
seed: 3
steps: 4
task: {kind: digits}
model: {kind: "net_part:NET", hidden: [4], tracker: env:TRACKER_WORDS, other: "file:PLACE"}
checkpoint: {every: 2}
"""


@pytest.mark.slow
def test_a_recipe_with_secrets_is_trained_resumed_proved_and_searched(place: Place) -> None:
    plain = {"words": "plain words that nobody drew", "file": "more words of the same kind"}
    (place.project / "net_part.py").write_text(PART, encoding="utf-8")
    (place.project / "net_build.py").write_text(BUILD, encoding="utf-8")
    (place.home / "key.txt").write_text(plain["file"], encoding="utf-8")
    (place.project / "net.yaml").write_text(RECIPE.replace("PLACE", f"{place.home}/key.txt"), encoding="utf-8")

    def samerun(*arguments: object, **variables: str) -> Done:
        found = {**environment(place.planted, place.home), **variables}
        done = place._warm.run(*arguments, cwd=place.project, **found)
        place.said.append((f"{arguments[0]}", done.out + done.err))
        return done

    missing = samerun("train", "net.yaml")
    assert missing.code == 4 and "model.tracker" in missing.err and "TRACKER_WORDS" in missing.err
    words = {"TRACKER_WORDS": plain["words"]}
    # The project is the one of the other tests: with a tracked file that holds a secret.
    assert samerun("train", "net.yaml", "--stop-after", 2, "--allow-dirty", **words).code == 75
    run = "net"
    needs: dict[str, Any] = samerun("identity", run, "--json").document["secrets"]
    assert needs == {"model.tracker": "env:TRACKER_WORDS", "model.other": "file:[local path]/~/key.txt"}
    assert samerun("resume", run).code == 4
    assert samerun("resume", run, **words).code == 0
    assert samerun("resume", run, "-s", "model.tracker=env:OTHER_WORDS", OTHER_WORDS=plain["words"]).code == 0
    for verb in (
        ("evaluate", run),
        ("verify", run, "--repeat", "--resume", "--files"),
        ("replay", run, "--step", 1),
        ("trace", run, "--step", 1, "-o", "runs/trace.json"),
        ("explain", "net.yaml"),
        ("identity", "net.yaml"),
        ("show", run, "--json"),
        ("streams", run, "--json"),
        ("resume", run, "--dry-run"),
    ):
        assert samerun(*verb, **words).code == 0, place.said[-1]
    assert leaks(contents(place.runs), {**place.planted, **plain}) == []
    assert leaks(((where, text.encode()) for where, text in place.said), plain) == []
    machine = {"home": str(place.home), "user": USER}
    shareable = (found for found in contents(place.runs) if not found[0].split(" ")[0].endswith(LOCAL_ONLY))
    assert leaks(shareable, machine) == []


@pytest.mark.parametrize(
    "setting",
    ["name=WORD", "model.api_key=WORD", "task.path=https://me:WORD@h/x", "tier=WORD", "nowhere=token=WORD", "WORD"],
)
def test_a_secret_given_by_a_setting_is_not_repeated(place: Place, setting: str) -> None:
    word = place.planted["config_shape"]
    done = place.samerun("train", "digits", "-s", setting.replace("WORD", word))
    assert done.code == 2
    assert leaks(iter([("out", (done.out + done.err).encode())]), {"word": word}) == []


@pytest.mark.parametrize("subject", ["digits", "train.py"])
def test_a_secret_is_no_name_of_a_run(place: Place, subject: str) -> None:
    word = place.planted["config_shape"]
    done = place.samerun("train", subject, "--name", word)
    assert done.code == 2
    assert leaks(iter([("out", (done.out + done.err).encode())]), {"word": word}) == []
    assert not place.runs.exists() or leaks(contents(place.runs), {"word": word}) == []


@pytest.mark.parametrize(
    "line", ["# WORD", "name: WORD", "model: {kind: mlp, WORD: 3}", "  WORD: [", "task: {kind: WORD}"]
)
def test_a_recipe_with_a_secret_is_refused_before_anything_is_written(place: Place, tmp_path: Path, line: str) -> None:
    word = place.planted["config_shape"]
    recipe = place.project / f"bad{abs(hash(line))}.yaml"
    recipe.write_text(f"trainer: supervised\nsteps: 1\n{line.replace('WORD', word)}\n", encoding="utf-8")
    done = place.samerun("train", recipe.name, "--runs", tmp_path / "none")
    recipe.unlink()
    assert done.code == 2 and not (tmp_path / "none").exists()
    assert leaks(iter([("out", (done.out + done.err).encode())]), {"word": word}) == []
