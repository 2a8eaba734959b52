"""Finding parts: by entry point, or in the project in hand; and importing what builds them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samerun.config.discovery import GROUPS, Part, find_part, kinds_of, list_parts, load_build
from samerun.errors import ConfigError, MissingError


def refusal(group: str, kind: str, project: Path | None) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        find_part(group, kind, project)
    assert caught.value.do
    return caught.value


def install(folder: Path, name: str, entry_points: str) -> None:
    """Lay out what pip leaves behind of a distribution."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


def test_our_own_parts_take_the_same_route_as_anybodys() -> None:
    assert find_part("trainers", "supervised", None) is find_part("samerun.trainers", "supervised", None)
    assert {part.distribution for part in list_parts() if part.kind == "supervised"} == {"samerun"}
    assert {part.group for part in list_parts()} >= set(GROUPS) - {"tasks"}
    assert [part for part in list_parts() if part.problem] == []


def test_our_own_parts_are_found_without_torch() -> None:
    script = "import sys; from samerun.config.discovery import list_parts; list_parts(); print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_an_installed_plug_in_is_found_by_its_entry_point(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "practice-plugin", "[samerun.models]\npractice-mlp = practice.parts:MLP\n[other]\nx = y:z\n")
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "practice-mlp" in kinds_of("models")
    assert find_part("models", "practice-mlp", None).name == "mlp"
    (row,) = [part for part in list_parts() if part.kind == "practice-mlp"]
    assert (row.group, row.distribution, row.version, row.target) == (
        "models",
        "practice-plugin",
        "1.0",
        "practice.parts:MLP",
    )


def test_a_plug_in_that_cannot_be_imported_is_listed_with_its_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken", "[samerun.models]\nbroken = module_that_is_not_there:PART\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    (row,) = [part for part in list_parts() if part.kind == "broken"]
    assert row.part is None
    assert row.problem is not None
    assert "ModuleNotFoundError" in row.problem


def test_a_kind_that_two_distributions_offer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        install(tmp_path / name, name, "[samerun.models]\nsame = practice.parts:MLP\n")
        monkeypatch.syspath_prepend(str(tmp_path / name))
    error = refusal("models", "same", None)
    assert error.code == "SR-PART-004"
    assert [line.partition(":")[0] for line in error.evidence] == ["one 1.0", "two 1.0"]


def test_a_distribution_that_lies_on_the_path_twice_counts_once(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "b"):
        install(tmp_path / folder, "twice", "[samerun.models]\ntwice = practice.parts:MLP\n")
        monkeypatch.syspath_prepend(str(tmp_path / folder))
    monkeypatch.syspath_prepend(str(project))
    assert find_part("models", "twice", None).name == "mlp"


def test_an_unknown_kind_gets_the_nearest_name_and_the_list() -> None:
    error = refusal("trainers", "supervisd", None)
    assert (error.code, "did you mean 'supervised'?" in error.what) == ("SR-PART-001", True)
    assert error.evidence[0].startswith("installed trainers: ")


def test_a_part_of_the_project_is_imported_with_its_root_on_the_path_for_that_import_only(project: Path) -> None:
    before = list(sys.path)
    part = find_part("models", "practice.parts:MLP", project)
    assert (part.name, part.project) == ("mlp", project)
    assert sys.path == before


def test_a_project_may_keep_its_code_under_src(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/under_src_parts.py").write_text(
        "from samerun.config.parts import Part\nfrom samerun.config.schema import Table\n"
        "class Empty(Table): ...\nPART = Part('x', Empty, 'under_src_parts:build', '')\ndef build(): return 1\n"
    )
    part = find_part("models", "under_src_parts:PART", tmp_path)
    assert load_build(part)() == 1
    del sys.modules["under_src_parts"]


def test_what_is_no_part_is_refused(project: Path) -> None:
    for kind in ("practice.parts:NOT_A_PART", "practice.parts:NOWHERE"):
        assert refusal("models", kind, project).code == "SR-PART-002"
    for kind in ("practice.parts:", ":MLP", "practice parts:MLP", "../x:MLP", "a:b:c"):
        assert refusal("models", kind, project).code == "SR-PART-001"


def test_a_module_that_cannot_be_imported_is_named_with_the_line_that_raised(project: Path) -> None:
    error = refusal("models", "practice.broken:PART", project)
    assert error.code == "SR-PART-003"
    assert error.evidence == ("RuntimeError: a mistake of the user", "raised at broken.py:3")
    assert refusal("models", "practice.nowhere:PART", project).code == "SR-PART-003"


def test_code_from_elsewhere_is_not_code_of_the_project(project: Path) -> None:
    for kind in ("json.decoder:JSONDecoder", "sys:path", "samerun.config.parts:Part"):
        assert refusal("models", kind, project).code == "SR-PART-005"


def test_without_a_project_no_code_of_one_is_loaded(project: Path) -> None:
    error = refusal("models", "practice.parts:MLP", None)
    assert (error.code, "--trust" in error.do) == ("SR-PART-005", True)
    assert "practice.parts" not in sys.modules


def test_what_builds_a_part_is_imported_when_it_is_asked_for(project: Path) -> None:
    part = find_part("models", "practice.parts:MLP", project)
    assert "practice.build" not in sys.modules
    assert load_build(part)(part.config.model_validate_json('{"hidden": [5]}')) == (5,)


def test_a_build_function_that_does_not_exist_is_named(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"practice\.build:nowhere") as caught:
        load_build(find_part("models", "practice.parts:BUILD_MISSING", project))
    assert caught.value.code == "SR-PART-006"
    lost = Part("lost", find_part("models", "practice.parts:MLP", project).config, "practice.gone:build", "", project)
    with pytest.raises(ConfigError) as caught:
        load_build(lost)
    assert caught.value.code == "SR-PART-003"


def test_a_package_that_a_part_needs_and_nobody_installed_is_missing(project: Path) -> None:
    with pytest.raises(MissingError, match="a_package_that_nobody_has") as caught:
        load_build(find_part("models", "practice.parts:NEEDS_PACKAGE", project))
    assert caught.value.code == "SR-PART-007"
