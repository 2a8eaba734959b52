"""The source of a run: found by what is imported, counted by what it means, stored so that it can be had again."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from samerun.base.sealed import read_sealed
from samerun.errors import UsageError
from samerun.record import layout
from samerun.record.meaning import meaning_of
from samerun.record.source import SourceFile, gather
from samerun.record.source_document import write_source
from samerun.record.source_read import read_snapshot

TRAIN = 'import net\n\n\ndef main():\n    """Train."""\n    return net.width + 1\n'
NET = "width = 3\n"


@pytest.fixture(scope="module")
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _cache(cache_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_home))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    (folder / "net.py").write_text(NET)
    (folder / "data.csv").write_text("1,2\n" * 1000)
    (folder / "unused.py").write_text("")
    return folder.resolve()


def user_facts(root: Path) -> Mapping[str, str]:
    facts: Mapping[str, str] = gather(root, [root / "train.py"]).facts()["user"]
    return facts


def test_the_user_counts_file_by_file_and_nothing_unused_does(root: Path) -> None:
    assert user_facts(root) == {
        "net.py": meaning_of((root / "net.py").read_bytes()).code,
        "train.py": meaning_of((root / "train.py").read_bytes()).code,
    }


def test_comments_and_docstrings_do_not_move_the_facts_and_an_operator_does(root: Path) -> None:
    before = user_facts(root)
    (root / "train.py").write_text(TRAIN.replace('"""Train."""', '"""Train it."""').replace("+ 1", "+ 1  # more"))
    assert user_facts(root) == before
    (root / "train.py").write_text(TRAIN.replace("+ 1", "- 1"))
    after = user_facts(root)
    assert {label for label in before if before[label] != after[label]} == {"train.py"}


def test_the_bytes_are_recorded_beside_the_meaning(root: Path) -> None:
    before = gather(root, [root / "train.py"]).of("user")
    (root / "train.py").write_text("# a comment\n" + TRAIN)
    after = gather(root, [root / "train.py"]).of("user")
    changed = [(a.meaning == b.meaning, a.content == b.content) for a, b in zip(before, after, strict=True)]
    assert changed == [(True, True), (True, False)]


def test_docstrings_count_where_the_program_reads_docstrings(root: Path) -> None:
    (root / "net.py").write_text("width = len(main.__doc__)\n")
    before = user_facts(root)
    (root / "train.py").write_text(TRAIN.replace("Train.", "Train it."))
    after = user_facts(root)
    assert {label for label in before if before[label] != after[label]} == {"train.py"}


def test_a_moved_project_has_the_same_facts(root: Path) -> None:
    before = user_facts(root)
    moved = root.rename(root.parent / "moved")
    assert user_facts(moved) == before


GATHER = """
import json, sys
from pathlib import Path
from samerun.record.source import gather
root = Path(sys.argv[1])
print(json.dumps(gather(root, [root / "train.py"], own_modules=["samerun.trainers.supervised"]).facts()))
"""


def test_hash_order_and_the_cache_do_not_reach_the_facts(root: Path, tmp_path: Path, cache_home: Path) -> None:
    answers = set()
    for seed in ("1", "2", None):
        environ = {"XDG_CACHE_HOME": str(cache_home if seed == "1" else tmp_path / "fresh")}
        if seed is not None:
            environ["PYTHONHASHSEED"] = seed
        done = subprocess.run([sys.executable, "-c", GATHER, str(root)], capture_output=True, text=True, env=environ)
        answers.add(done.stdout)
    assert len(answers) == 1
    assert len(json.loads(answers.pop())["user"]) == 2


def test_our_own_source_is_one_fact_that_the_trainer_moves(root: Path) -> None:
    plain = gather(root).facts()["samerun"]
    assert gather(root).facts()["samerun"] == plain
    assert gather(root, own_modules=["samerun.trainers.models.mlp"]).facts()["samerun"] != plain


def test_a_package_counts_by_content_without_git(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages/planted_parts"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("rate = 1\n")
    (package / "table.json").write_text("{}")
    monkeypatch.syspath_prepend(str(package.parent))

    def fact() -> str:
        digest: str = gather(root, packages=["planted_parts"]).facts()["packages"]["planted_parts"]
        return digest

    before = fact()
    (package / "__init__.py").write_text("# comment\nrate = 1\n")
    assert fact() == before
    (package / "table.json").write_text("{ }")
    changed = fact()
    assert changed != before
    (package / "__init__.py").write_text("rate = 2\n")
    assert fact() != changed


def test_the_cells_of_a_notebook_count_in_their_order(root: Path) -> None:
    cells = {"notebook/0000.py": b"import net\n", "notebook/0001.py": b"%magic\n"}
    facts = gather(root, cells=cells).facts()["user"]
    assert list(facts) == list(cells)
    assert facts == gather(root, cells={**cells, "notebook/0000.py": b"import net  # twice\n"}).facts()["user"]


def test_what_is_imported_later_is_added_and_flagged(root: Path) -> None:
    source = gather(root, [root / "train.py"])
    more = source.with_late([root / "unused.py", root / "net.py"])
    assert [(file.label, file.is_late) for file in more.of("user")] == [
        ("net.py", False),
        ("train.py", False),
        ("unused.py", True),
    ]


LATE = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from samerun.record.source import gather
root = Path(sys.argv[1])
source = gather(root, [root / "train.py"])
import train
for name in ("hidden", "extra", "stranger"):
    __import__(name)
print([path.name for path in source.late()])
"""


@pytest.mark.parametrize("is_used", [True, False])
def test_late_imports_are_those_of_the_project_and_of_what_it_uses(
    root: Path, tmp_path: Path, cache_home: Path, is_used: bool
) -> None:
    (root / "hidden.py").write_text("")
    lib = tmp_path / "lib"
    lib.mkdir()
    for name in ("used", "extra", "stranger"):
        (lib / f"{name}.py").write_text("")
    (root / "train.py").write_text("import used\n" if is_used else "")
    environ = {"XDG_CACHE_HOME": str(cache_home)}
    done = subprocess.run([sys.executable, "-c", LATE, root, lib], capture_output=True, text=True, env=environ)
    assert done.stdout.strip() == str(["extra.py", "stranger.py", "hidden.py"] if is_used else ["hidden.py"])


def test_the_snapshot_holds_the_source_that_counts(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    source = gather(root, [root / "train.py"], own_modules=["samerun.trainers.supervised"])
    write_source(folder, source)
    stored = read_snapshot(folder)
    assert stored["user/train.py"] == TRAIN.encode()
    assert stored["user/net.py"] == NET.encode()
    assert "own/samerun/record/rows.py" in stored and "own/samerun/trainers/supervised/part.py" in stored
    assert not any("csv" in name or "unused" in name for name in stored)
    document = read_sealed(folder / layout.SOURCE)
    assert document["files"]["user/train.py"]["meaning"] == meaning_of((root / "train.py").read_bytes()).code
    assert str(root) not in json.dumps(document)


def test_equal_source_gives_equal_files(root: Path, tmp_path: Path) -> None:
    written = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        write_source(folder, gather(root, [root / "train.py"]))
        written.append([(path.name, path.read_bytes()) for path in sorted(folder.iterdir())])
    assert written[0] == written[1]


def test_a_secret_in_the_source_is_in_no_file_of_the_run(root: Path, tmp_path: Path) -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x"]
    subprocess.run(commit, cwd=root, check=True)
    (root / "net.py").write_text(f"width = 3\nlogin({token!r})\n")
    folder = tmp_path / "run"
    folder.mkdir()
    write_source(folder, gather(root, [root / "train.py"]))
    for path in folder.iterdir():
        assert token.encode() not in path.read_bytes()
    document = read_sealed(folder / layout.SOURCE)
    assert document["files"]["user/net.py"]["num_redacted"] == 1
    assert document["patch"]["is_redacted"] is True and not document["is_complete"]
    assert [(row["path"], row["digest"]) for row in document["left_out"]] == [("net.py", None)]


def test_code_that_git_does_not_see_counts_and_is_stored(root: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / ".gitignore").write_text("net.py\n")
    before = user_facts(root)
    (root / "net.py").write_text("width = 4\n")
    assert user_facts(root)["net.py"] != before["net.py"]
    folder = tmp_path / "run"
    folder.mkdir()
    write_source(folder, gather(root, [root / "train.py"]))
    assert read_snapshot(folder)["user/net.py"] == b"width = 4\n"


def test_an_editable_install_counts_by_content(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/planted_editable.py").write_text("rate = 1\n")
    (root / "net.py").write_text("from planted_editable import rate\nwidth = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    before = user_facts(root)
    assert list(before) == ["elsewhere/planted_editable.py", "net.py", "train.py"]
    (tmp_path / "lib/planted_editable.py").write_text("rate = 2\n")
    after = user_facts(root)
    assert {label for label in before if before[label] != after[label]} == {"elsewhere/planted_editable.py"}


def test_an_entry_that_is_not_there_is_an_error(root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        gather(root, [root / "missing.py"])


def test_a_file_whose_name_no_record_can_hold_is_refused_by_name(tmp_path: Path) -> None:
    script = tmp_path / "caf\udce9.py"
    script.write_text("import json\n")
    with pytest.raises(UsageError, match="SR-RECORD-026") as caught:
        gather(tmp_path, [script])
    assert "caf\\udce9.py" in caught.value.what


@pytest.mark.parametrize("first", ["other/setup_net.py", "project/elsewhere/setup_net.py"])
def test_two_files_that_one_name_would_stand_for_are_refused(root: Path, tmp_path: Path, first: str) -> None:
    one, other = root.parent / first.replace("project", root.name), tmp_path / "lib/setup_net.py"
    for place, text in ((one, "width = 3\n"), (other, "width = 4\n")):
        place.parent.mkdir(parents=True)
        place.write_text(text)
    with pytest.raises(UsageError, match="SR-RECORD-026") as caught:
        gather(root, [root / "train.py", one, other])
    assert caught.value.what.startswith("elsewhere/setup_net.py") and len(caught.value.evidence) == 2
    with pytest.raises(UsageError, match="SR-RECORD-026"):
        gather(root, [one]).with_late([other])
    other.write_text("width = 3\n")
    assert "elsewhere/setup_net.py" in gather(root, [one, other]).facts()["user"]


def test_a_file_of_a_rule_and_a_module_from_elsewhere_need_names_of_their_own(root: Path, tmp_path: Path) -> None:
    module = tmp_path / "lib/net.py"
    module.parent.mkdir()
    module.write_text("width = 3\n")
    ruled = SourceFile("rule", "elsewhere/net.py", "bytes", "b", "b", 1, root / "elsewhere/net.py")
    with pytest.raises(UsageError, match="SR-RECORD-026"):
        gather(root, [module]).with_ruled([ruled])
