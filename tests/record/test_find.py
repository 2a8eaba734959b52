"""Finding runs: what a text can mean, and what happens when it means several runs or none."""

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.errors import DamageError, NoMatchError, UsageError
from samerun.record import layout
from samerun.record.find import find_run, find_runs
from samerun.record.manifest import read_manifest

MakeRun = Callable[..., Path]


def at(hour: int) -> dict[str, str]:
    return {"created": f"2026-01-01T{hour:02d}:00:00.000Z", "updated": f"2026-01-01T{hour:02d}:00:00.000Z"}


@pytest.fixture
def runs(make_run: MakeRun, tmp_path: Path) -> Path:
    make_run("alpha", "1", **at(3))
    make_run("beta", "2", **at(1))
    make_run("beta", "2", fresh=True, **at(2))
    return tmp_path / "runs"


def test_runs_are_listed_from_the_oldest(runs: Path) -> None:
    found = [record.name.split("-")[0] for record in find_runs(runs)]
    assert found == ["beta", "beta", "alpha"]
    assert find_runs(runs / "missing") == []


@pytest.mark.parametrize("pick", ["name", "folder name", "path", "identity", "prefix", "short prefix"])
def test_a_run_is_found_by_any_of_its_names(runs: Path, pick: str) -> None:
    folder = next(path for path in runs.iterdir() if path.name.startswith("alpha"))
    identity = read_manifest(folder).identity
    text = {
        "name": "alpha",
        "folder name": folder.name,
        "path": str(folder),
        "identity": identity,
        "prefix": identity[:10],
        "short prefix": identity[:4],
    }[pick]
    assert find_run(text, runs).folder.resolve() == folder


def test_a_run_is_found_by_the_beginning_of_its_folder(runs: Path, make_run: MakeRun) -> None:
    folder = next(path for path in runs.iterdir() if path.name.startswith("alpha"))
    for text in ("al", "alpha-", folder.name[:-1]):
        assert find_run(text, runs).folder.resolve() == folder
    with pytest.raises(UsageError, match="SR-RECORD-032") as caught:
        find_run("bet", runs)
    assert len(caught.value.evidence) == 2 and caught.value.exit_code == 2
    longer = make_run("alphabet", "4")
    assert find_run("alpha", runs).folder.resolve() == folder
    assert find_run("alphab", runs).folder.resolve() == longer


def test_last_is_the_run_that_something_happened_to_most_recently(runs: Path, make_run: MakeRun) -> None:
    assert find_run("@last", runs).name.startswith("alpha")
    assert find_run("@last~1", runs).name.endswith("-2")
    assert find_run("@last~2", runs).name.startswith("beta")
    make_run("gamma", "3", created="2025-01-01T00:00:00.000Z", updated="2027-01-01T00:00:00.000Z")
    assert find_run("@last", runs).name.startswith("gamma")
    with pytest.raises(NoMatchError, match="SR-RECORD-031"):
        find_run("@last~4", runs)


def test_a_text_that_fits_several_lists_them(runs: Path) -> None:
    identity = read_manifest(next(path for path in runs.iterdir() if path.name.endswith("-2"))).identity
    for text in ("beta", identity, identity[:5]):
        with pytest.raises(UsageError, match="SR-RECORD-032") as caught:
            find_run(text, runs)
        assert len(caught.value.evidence) == 2


@pytest.mark.parametrize(
    "text", ["alpah", "", "@lst", "@last~", "@last~-1", "abcdef0123", "abc", "a\0b", "../x", "no/x"]
)
def test_a_text_that_fits_none_is_a_no_match(runs: Path, text: str) -> None:
    with pytest.raises(NoMatchError):
        find_run(text, runs)


def test_a_misspelt_name_brings_the_nearest(runs: Path) -> None:
    with pytest.raises(NoMatchError, match="alpha"):
        find_run("alpah", runs)


def test_a_folder_that_is_no_run_is_said_to_be_none(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-RECORD-030"):
        find_run(f"{tmp_path}/", runs)


def test_a_damaged_run_hides_no_other(runs: Path) -> None:
    broken = next(path for path in runs.iterdir() if path.name.startswith("beta") and not path.name.endswith("-2"))
    (broken / layout.MANIFEST).write_bytes(b"{}")
    assert len(find_runs(runs)) == 3
    assert find_run("alpha", runs).name.startswith("alpha")
    assert find_run("@last~1", runs).name.endswith("-2")
    with pytest.raises(DamageError):
        find_run(str(broken), runs)


def test_what_is_no_run_is_not_listed(runs: Path) -> None:
    (runs / ".hidden.tmp").mkdir()
    (runs / "empty-01234567").mkdir()
    (runs / "notes.txt").write_text("")
    assert len(find_runs(runs)) == 3


def test_an_identity_that_moved_after_the_opening_is_found_by_both(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run("moved", "9", identity="feedfacefeedface")
    for text in ("feedface", folder.name.split("-")[1]):
        assert find_run(text, tmp_path / "runs").folder == folder
