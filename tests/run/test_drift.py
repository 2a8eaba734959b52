"""What moved under a run is told file by file with the first differing line, and field by field around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.identity import Moved
from samerun.record.reader import RunRecord
from samerun.record.source import gather
from samerun.run.drift import around_text, as_rows, details_of, moved_around, told
from samerun.run.run import Run

Train = Callable[..., RunRecord]
SCRIPT = "def begin(name, **given):\n    return start(name, **given)\n"


@pytest.fixture
def stopped(train: Train) -> RunRecord:
    return train(3, options={"stop_after": 1})


@pytest.fixture
def script(tmp_path: Path, start: Callable[..., Run]) -> Path:
    return tmp_path / "project" / "train.py"


def refusal(train: Train, record: RunRecord) -> RefusedError:
    with pytest.raises(RefusedError, match="SR-RUN-017") as caught:
        train(3, options={"run_folder": record.folder})
    return caught.value


def test_a_resume_names_the_file_the_line_and_both_texts(train: Train, stopped: RunRecord, script: Path) -> None:
    script.write_text(f"# a comment\n{SCRIPT.replace('**given)', '**given) or None').replace(') or None:', '):')}")
    (line,) = refusal(train, stopped).evidence
    assert line == (
        'experiment.source.user["train.py"]: train.py:3: '
        "'    return start(name, **given)' in the run, '    return start(name, **given) or None' now"
    )


def test_a_file_that_is_new_and_one_that_is_gone_are_named(train: Train, script: Path) -> None:
    (script.parent / "net.py").write_text("x = 1\n")
    script.write_text(f"import net\n{SCRIPT}")
    record = train(3, options={"stop_after": 1})
    (script.parent / "net.py").rename(script.parent / "other.py")
    script.write_text(f"import other\n{SCRIPT}")
    text = "\n".join(refusal(train, record).evidence)
    assert "net.py: removed" in text and "other.py: added" in text
    assert "train.py:1: 'import net' in the run, 'import other' now" in text


def test_a_new_run_beside_the_old_one_says_which_line_moved(
    train: Train, stopped: RunRecord, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text(f"width = 4\n{SCRIPT}")
    train(1, options={"is_quiet": False})
    assert "moved (train.py:1: no such line in the run, 'width = 4' now)" in capsys.readouterr().err


def test_drift_json_holds_the_lines(train: Train, stopped: RunRecord, script: Path) -> None:
    script.write_text(f"width = 4\n{SCRIPT}")
    train(3, options={"run_folder": stopped.folder, "allow_drift": ("source",)})
    (entry,) = read_sealed(stopped.folder / layout.DRIFT)["segments"]
    (moved,) = entry["moved"]
    assert moved["path"] == 'source.user["train.py"]' and moved["files"] == [
        {
            "path": "user/train.py",
            "change": "changed",
            "first": {"line": 1, "old": None, "new": "width = 4"},
            "reason": None,
        }
    ]


def test_a_secret_that_was_written_in_since_is_in_no_record(train: Train, stopped: RunRecord, script: Path) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"
    script.write_text(f"login({token!r})\n{SCRIPT}")
    train(3, options={"run_folder": stopped.folder, "allow_drift": ("source",)})
    for path in stopped.folder.rglob("*"):
        assert path.is_dir() or token.encode() not in path.read_bytes(), path


def test_our_own_files_and_packages_are_named_for_their_one_digest(stopped: RunRecord, script: Path) -> None:
    document = read_sealed(stopped.folder / layout.SOURCE)
    rows = {**document["files"]}
    name = next(name for name in rows if name.startswith("own/samerun/run/loop"))
    rows[name] = {**rows[name], "meaning": "sha256:other"}
    plain = {key: value for key, value in document.items() if key != "digest"}
    write_sealed(stopped.folder / layout.SOURCE, {**plain, "files": rows})
    record = RunRecord.open(stopped.folder)
    fact = Moved("experiment", "source.samerun", "sha256:1", "sha256:2")
    details = details_of(record, gather(script.parent, [script]), [fact])
    assert [one.name for one in details["source.samerun"]] == [name]
    assert told(fact, details).startswith("experiment.source.samerun: samerun/run/loop.py: ")
    assert as_rows([fact], details)[0]["files"][0]["path"] == name


def test_other_facts_are_told_by_both_values(stopped: RunRecord) -> None:
    fact = Moved("platform", "threads", 1, 2)
    assert told(fact, {}) == "platform.threads: 1 in the run, 2 now"
    assert as_rows([fact], {}) == [fact.as_json()]


def with_environment(record: RunRecord, **changes: Any) -> None:
    path = record.folder / layout.ENVIRONMENT
    document = read_sealed(path)
    write_sealed(path, {**{key: value for key, value in document.items() if key != "digest"}, **changes})


def test_what_moved_around_a_run_is_named_and_refuses_nothing(
    train: Train, stopped: RunRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = read_sealed(stopped.folder / layout.ENVIRONMENT)["distributions"]
    older = {**packages, "click": {**packages["click"], "version": "1.0"}}
    with_environment(stopped, distributions=older)
    now = packages["click"]["version"]
    record = train(3, options={"run_folder": stopped.folder, "is_quiet": False})
    assert f"no part of the identity: distributions.click.version (1.0 | {now})" in capsys.readouterr().err
    (event,) = [row for row in record.events() if row["event"] == "environment_moved"]
    assert [row["path"] for row in event["moved"]] == ["distributions.click.version"]


def test_nothing_that_moved_is_no_event(train: Train, stopped: RunRecord) -> None:
    record = train(3, options={"run_folder": stopped.folder})
    assert not [row for row in record.events() if row["event"] == "environment_moved"]


def test_what_the_identity_names_already_is_not_told_twice(stopped: RunRecord, script: Path) -> None:
    with_environment(stopped, variables={"OMP_NUM_THREADS": "7"})
    found = moved_around(stopped.folder, script.parent, ())
    known = Moved("platform", "variables.OMP_NUM_THREADS", "7", "1")
    assert "variables.OMP_NUM_THREADS" in [one.path for one in found]
    less = moved_around(stopped.folder, script.parent, [known])
    assert [one.path for one in found if one not in less] == ["variables.OMP_NUM_THREADS"]


def test_many_are_counted() -> None:
    many = [Moved("platform", f"variables.A{number}", None, "x") for number in range(5)]
    assert (
        around_text(many)
        == "variables.A0 (absent | x), variables.A1 (absent | x), variables.A2 (absent | x) and 2 more"
    )
