"""The stored source comes back byte by byte, nothing leaves its folder, and the repository around it comes back too."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.errors import DamageError, RefusedError
from samerun.record import layout
from samerun.record.restore import Restored, import_paths, repository_steps, restore_source
from samerun.record.snapshot import snapshot_tar
from samerun.record.source import gather
from samerun.record.source_document import add_source, write_source
from samerun.record.source_read import read_source

Git = Callable[..., str]
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


def restored(root: Path, run: Path, entry: str = "train.py") -> Restored:
    write_source(run, gather(root, [root / entry]))
    return restore_source(run, run.parent / "back")


def test_modules_modes_links_and_rules_come_back(tmp_path: Path, run: Path) -> None:
    root = tmp_path / "project"
    (root / "conf").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[tool.samerun]\ninclude = ["conf/**", "run.sh"]\n')
    (root / "train.py").write_text("import net, again\n")
    (root / "net.py").write_bytes(b"# \xc3\xa9\r\nx = 1\r\n")
    (root / "again.py").symlink_to("net.py")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "conf/a.yaml").write_text("a: 1")
    found = restored(root, run)
    assert found.is_whole and found.files == ("again.py", "conf/a.yaml", "net.py", "run.sh", "train.py")
    for name in found.files:
        assert (found.folder / name).read_bytes() == (root / name).read_bytes()
        assert os.access(found.folder / name, os.X_OK) == os.access(root / name, os.X_OK)
    assert os.readlink(found.folder / "again.py") == "net.py"
    assert found.steps == () and found.import_paths == (found.folder,)


def test_a_module_that_a_rule_names_too_and_that_is_imported_late_comes_back_once(tmp_path: Path, run: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text('[tool.samerun]\ninclude = ["*.py"]\n')
    (root / "train.py").write_text("x = 1\n")
    (root / "late.py").write_text("x = 2\n")
    write_source(run, gather(root, [root / "train.py"]))
    late = gather(root, [root / "train.py"]).with_late([root / "late.py"])
    add_source(run, [file for file in late.files if file.is_late], [])
    assert {"user/late.py", "rule/late.py"} <= read_source(run)["files"].keys()
    found = restore_source(run, tmp_path / "back")
    assert found.files == ("late.py", "train.py") and found.is_whole


def test_what_came_from_outside_of_the_project_has_a_folder_to_import_from(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, lib = tmp_path / "project", tmp_path / "lib"
    root.mkdir()
    lib.mkdir()
    (lib / "planted_outside.py").write_text("rate = 2\n")
    (root / "train.py").write_text("import planted_outside\n")
    monkeypatch.syspath_prepend(str(lib))
    found = restored(root, run)
    assert found.import_paths == (found.folder, found.folder / "elsewhere")
    assert (found.folder / "elsewhere/planted_outside.py").read_text() == "rate = 2\n"


def test_a_file_that_lost_a_secret_is_named_and_not_passed_off_as_what_ran(tmp_path: Path, run: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text(f"login({TOKEN!r})\n")
    found = restored(root, run)
    assert not found.is_whole and found.files == ()
    assert found.altered == {"train.py": "a secret that stood in it was not stored"}


def test_a_folder_that_holds_something_is_not_written_to(tmp_path: Path, run: Path, repository: Path) -> None:
    (tmp_path / "back").mkdir()
    (tmp_path / "back/mine.txt").write_text("x")
    with pytest.raises(RefusedError, match="SR-SOURCE-004"):
        restored(repository, run, "same.py")
    assert [path.name for path in (tmp_path / "back").iterdir()] == ["mine.txt"]


def planted(run: Path, name: str, link: str | None, data: bytes = b"canary") -> None:
    """Write a source.json by somebody else: one file of this name, and one that claims to be a link."""
    from samerun.base.sealed import write_sealed

    tar = snapshot_tar({"user/a/x.py": data, "user/b/y.py": data})
    row = {
        "kind": "python",
        "meaning": "m",
        "content": sha256(data),
        "mode": "100644",
        "size_bytes": 6,
        "num_redacted": 0,
    }
    rows = {"user/a/x.py": {**row, "link": None, "is_stored": True}, name: {**row, "link": link, "is_stored": True}}
    (run / layout.SOURCE_FILES).write_bytes(tar)
    (run / layout.SOURCE_PATCH).write_bytes(b"")
    head = {"schema": "samerun.source", "format": 1, "files": rows}
    facts = {"snapshot": {"digest": sha256(tar)}, "patch": {"digest": sha256(b"")}}
    write_sealed(run / layout.SOURCE, {**head, **facts})


@pytest.mark.parametrize(
    "link", ["../../../../etc/passwd", "/etc/passwd", "../..", "../../user/a/x.py", "../../a/x.py", "y.py", "."]
)
def test_no_link_leads_out_of_the_folder(tmp_path: Path, run: Path, link: str) -> None:
    planted(run, "user/b/y.py", link)
    found = restore_source(run, tmp_path / "back")
    assert not (found.folder / "b/y.py").is_symlink()
    assert (found.folder / "b/y.py").read_bytes() == b"canary"


def test_a_link_inside_of_the_folder_is_made(tmp_path: Path, run: Path) -> None:
    planted(run, "user/b/y.py", "../a/x.py")
    found = restore_source(run, tmp_path / "back")
    assert os.readlink(found.folder / "b/y.py") == "../a/x.py" and found.is_whole


def test_a_name_that_leaves_the_folder_is_damage_and_writes_nothing(tmp_path: Path, run: Path) -> None:
    import io
    import tarfile

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        member = tarfile.TarInfo("user/../../evil.py")
        tar.addfile(member, io.BytesIO())
    planted(run, "user/b/y.py", None)
    document = read_source(run)
    from samerun.base.sealed import write_sealed

    (run / layout.SOURCE_FILES).write_bytes(out.getvalue())
    plain = {key: value for key, value in document.items() if key != "digest"}
    write_sealed(run / layout.SOURCE, {**plain, "snapshot": {"digest": sha256(out.getvalue())}})
    with pytest.raises(DamageError, match="SR-RECORD-024"):
        restore_source(run, tmp_path / "back")
    assert not (tmp_path / "evil.py").exists()


def contents(root: Path) -> dict[str, tuple[str, bytes]]:
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (name for name in names if name != ".git"):
            path = Path(folder, name)
            mode = "link" if path.is_symlink() else "x" if os.access(path, os.X_OK) else "-"
            found[path.relative_to(root).as_posix()] = (
                mode,
                os.fsencode(os.readlink(path)) if mode == "link" else path.read_bytes(),
            )
    return found


def test_the_steps_of_a_record_give_back_every_byte_of_a_dirty_repository(
    repository: Path, tmp_path: Path, run: Path, git: Git
) -> None:
    root, inner = repository, tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "m.py").write_text("m = 1\n")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "inner")
    git(root, "submodule", "add", "-q", str(inner), "inner")
    (root / "sub dir").mkdir()
    (root / "sub dir/bits.bin").write_bytes(bytes(range(256)) * 30)
    (root / "link").symlink_to("same.py")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "more")
    (root / "inner/m.py").write_text("m = 2\n")
    git(root / "inner", "commit", "-q", "-a", "-m", "further")
    git(root / "inner", "push", "-q", "origin", "HEAD:refs/heads/further")
    (root / "inner/m.py").write_text("m = 3\n")
    (root / "same.py").write_text("import fresh\n")
    (root / "fresh.py").write_text("f = 1\n")
    (root / "staged.py").write_text("x = 2\n")
    git(root, "add", "staged.py")
    (root / "staged.py").chmod(0o755)
    (root / "deleted.py").unlink()
    (root / "sub dir/bits.bin").write_bytes(b"\0\1" * 400)
    (root / "link").unlink()
    (root / "link").symlink_to("staged.py")
    source = gather(root, [root / "same.py"])
    write_source(run, source)
    assert read_source(run)["is_complete"]
    found = restore_source(run, tmp_path / "back")
    assert found.files == ("fresh.py", "same.py")

    clone = tmp_path / "clone"
    clone.mkdir()
    script = "\n".join(["set -e", *found.steps]).replace("REPOSITORY", str(root))
    environ = {**os.environ, "RUN": str(run), "GIT_ALLOW_PROTOCOL": "file"}
    subprocess.run(["sh", "-c", script], cwd=clone, check=True, capture_output=True, env=environ)
    subprocess.run(["cp", "-a", f"{found.folder}/.", str(clone)], check=True)
    assert contents(clone) == contents(root)


def test_a_clean_commit_needs_no_patch(repository: Path, run: Path, git: Git) -> None:
    git(repository, "config", "remote.origin.url", "https://me:canary@example.org/a.git")
    head = git(repository, "rev-parse", "HEAD")
    steps = restored(repository, run, "same.py").steps
    assert steps == ("git clone --no-checkout -- https://example.org/a.git .", f"git checkout --detach {head} --")


def test_nothing_of_a_record_becomes_a_command() -> None:
    head = "0" * 40
    patch = {"digest": sha256(b"")}
    module = {"path": "a; touch x", "commit": "1" * 40, "recorded": head}
    git = {"commit": head, "remote": "$(touch x)", "submodules": [module, {**module, "commit": "$(touch x)"}]}
    steps = list(repository_steps({"git": git, "patch": patch}))
    assert [step.count("touch") for step in steps] == [1, 0, 0, 1]
    assert "'$(touch x)'" in steps[0] and "'a; touch x'" in steps[3]
    assert list(repository_steps({"git": {**git, "commit": "; touch x"}, "patch": patch})) == []


def test_folders_to_import_from_are_those_of_a_project_are_those_that_are_there(tmp_path: Path) -> None:
    assert import_paths(tmp_path) == (tmp_path,)
    (tmp_path / "src").mkdir()
    (tmp_path / "elsewhere").mkdir()
    assert import_paths(tmp_path) == (tmp_path, tmp_path / "src", tmp_path / "elsewhere")
