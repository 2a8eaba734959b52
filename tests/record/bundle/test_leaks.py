"""The second look at what leaves: planted secrets are found in every kind of text, and plain texts pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.base.sealed import read_sealed, write_sealed
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.bundle.leaks import check_leaks
from samerun.record.bundle.members import Member, member_of_bytes, member_of_file
from samerun.record.bundle.packing import Packing
from samerun.record.snapshot import snapshot_tar

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def of_file(folder: Path, name: str) -> Member:
    return member_of_file(f"run/{name}", folder / name)


def refused(member: Member) -> str:
    with pytest.raises(RefusedError, match="SR-BUNDLE-005") as caught:
        check_leaks(member)
    text = str(caught.value)
    assert TOKEN not in text and member.name.removeprefix("run/") in text and caught.value.exit_code == 3
    return text


def test_a_recorded_run_holds_nothing_to_refuse(packing: Packing) -> None:
    for member in packing.members:
        check_leaks(member)


@pytest.mark.parametrize("name", ["manifest.json", "environment.json", "evaluations/test.json", "marks.json"])
def test_a_secret_in_a_document_is_found(make_run: Callable[..., Path], name: str) -> None:
    folder = make_run()
    document = {**read_sealed(folder / name), "reason": f"could not log in as {TOKEN}"}
    write_sealed(folder / name, document)
    refused(of_file(folder, name))


def test_a_setting_and_an_argument_are_judged_by_the_name_beside_them(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    config = read_sealed(folder / layout.CONFIG)
    write_sealed(folder / layout.CONFIG, {**config, "values": {"database": {"password": "sunny day"}}})
    refused(of_file(folder, layout.CONFIG))
    manifest = read_sealed(folder / layout.MANIFEST)
    entry = {**manifest["entry"], "argv": ["--api-key", "sunny"]}
    write_sealed(folder / layout.MANIFEST, {**manifest, "entry": entry})
    refused(of_file(folder, layout.MANIFEST))


def test_a_package_that_is_called_after_secrets_is_none(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    environment = read_sealed(folder / layout.ENVIRONMENT)
    write_sealed(
        folder / layout.ENVIRONMENT, {**environment, "distributions": {"detect-secrets": {"version": "1.5.0"}}}
    )
    check_leaks(of_file(folder, layout.ENVIRONMENT))


def test_a_secret_in_a_log_is_found_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"event":"a"}\n{"event":"b","text":"' + TOKEN + '"}\n{"event":"c"}\n')
    assert "line 2" in refused(of_file(tmp_path, "events.jsonl"))


def test_a_secret_in_a_patch_and_in_a_recipe_is_found(make_run: Callable[..., Path]) -> None:
    refused(member_of_bytes(f"run/{layout.SOURCE_PATCH}", f"+key = '{TOKEN}'\n".encode()))
    assert "line 3" in refused(member_of_bytes("run/recipe.submitted.yaml", f"a: 1\nb: 2\n# {TOKEN}\n".encode()))


def test_a_secret_in_stored_source_is_found_and_our_own_source_is_public() -> None:
    text = f"width = 3\nkey = '{TOKEN}'\n".encode()
    found = refused(
        member_of_bytes(f"run/{layout.SOURCE_FILES}", snapshot_tar({"user/a.py": b"x = 1\n", "user/net.py": text}))
    )
    assert "line 2, user/net.py" in found
    check_leaks(member_of_bytes(f"run/{layout.SOURCE_FILES}", snapshot_tar({"own/samerun/x.py": text})))


def test_the_last_row_of_a_log_is_looked_at_without_its_end(tmp_path: Path) -> None:
    rows = ['{"event":"a"}', f'{{"text":"{TOKEN}"}}']
    (tmp_path / "events.jsonl").write_text("\n".join(rows))
    assert "line 2" in refused(of_file(tmp_path, "events.jsonl"))
    (tmp_path / "events.jsonl").write_text(f'{rows[0]}\n{{"text":"{TOKEN}')
    assert "line 2" in refused(of_file(tmp_path, "events.jsonl"))
    (tmp_path / "events.jsonl").write_text(rows[0] + "\n" + '{"ev')
    check_leaks(of_file(tmp_path, "events.jsonl"))
