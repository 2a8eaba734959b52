"""Finding and reading recipes: files, built-in names, bytes, mappings; and everything that is none of these."""

from __future__ import annotations

from pathlib import Path

import pytest

from samerun.config.load import SIZE_LIMIT, built_in_recipes, load_recipe, read_recipe
from samerun.errors import ConfigError, ExitCode

SAME = {
    "r.yaml": "trainer: x\nrate: 1e-4\nhidden: [1, 2]\nmodel: {kind: m, name: no}\n",
    "r.yml": 'trainer: "x"\nrate: 0.0001\nhidden:\n- 1\n- 2\nmodel:\n  kind: m\n  name: "no"\n',
    "r.toml": 'trainer = "x"\nrate = 1e-4\nhidden = [1, 2]\n[model]\nkind = "m"\nname = "no"\n',
    "r.json": '{"trainer": "x", "rate": 1e-4, "hidden": [1, 2], "model": {"kind": "m", "name": "no"}}',
}


def code(path: str | Path | bytes, name: str = "r.yaml") -> str:
    with pytest.raises(ConfigError) as caught:
        load_recipe(path, name=name)
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.do
    return caught.value.code


def test_the_three_syntaxes_say_the_same() -> None:
    for name, text in SAME.items():
        Path(name).write_text(text, encoding="utf-8")
    documents = [load_recipe(name) for name in SAME]
    assert all(document.data == documents[0].data for document in documents)
    assert [document.raw for document in documents] == [text.encode() for text in SAME.values()]


def test_a_file_keeps_its_exact_bytes_and_its_name() -> None:
    Path("sub").mkdir()
    Path("sub/r.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\n")
    document = load_recipe("sub/r.yaml")
    assert (document.data, document.raw) == ({"a": 1}, b"\xef\xbb\xbfa: 1\r\n")
    assert (document.where(("a",)), document.origin(("a",))) == ("sub/r.yaml:1", "r.yaml:1")


def test_a_built_in_recipe_is_read_by_its_name_even_beside_a_folder_of_that_name() -> None:
    name, raw = next(iter(built_in_recipes().items()))
    Path(name).mkdir()
    document = load_recipe(name)
    assert (document.raw, document.file_name) == (raw, f"{name}.yaml")
    assert code(f"./{name}") == "SR-CONFIG-002"


def test_a_misspelt_name_gets_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'digits'") as caught:
        load_recipe("digit")
    assert caught.value.code == "SR-CONFIG-002"
    assert any("digits" in line for line in caught.value.evidence)


def test_a_folder_is_no_recipe_and_the_ones_in_it_are_named() -> None:
    Path("folder").mkdir()
    Path("folder/r.toml").write_text("a = 1")
    with pytest.raises(ConfigError, match="is a folder") as caught:
        load_recipe("folder/")
    assert "r.toml" in str(caught.value)


def test_what_is_not_there_or_no_recipe_by_its_name_is_refused() -> None:
    Path("notes.txt").write_text("a: 1")
    assert code("nowhere.yaml") == "SR-CONFIG-002"
    assert code(Path("nowhere.yaml")) == "SR-CONFIG-002"
    assert code("notes.txt") == "SR-CONFIG-002"
    assert code("a\0b.yaml") == "SR-CONFIG-002"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"", "r.yaml"),
        (b"  \n\n", "r.toml"),
        (b"# only a comment\n", "r.yaml"),
        (b"---\n", "r.yaml"),
        (b"null\n", "r.yaml"),
        (b"- a\n", "r.yaml"),
        (b"just text\n", "r.yaml"),
        (b"[1]", "r.json"),
        (b"a: \xff\n", "r.yaml"),
        ("a: 1\n".encode("utf-16"), "r.yaml"),
        (b"a: 1\x00\n", "r.yaml"),
        (b"a: 1\n---\nb: 2\n", "r.yaml"),
    ],
)
def test_empty_broken_or_other_texts_are_refused(raw: bytes, name: str) -> None:
    Path(name).write_bytes(raw)
    assert code(name) == "SR-CONFIG-003"


def test_the_line_of_a_byte_that_is_no_utf_8_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        load_recipe(b"a: 1\nb: caf\xe9\n")
    assert caught.value.evidence == ("recipe.yaml:2",)
    assert "0xe9" in caught.value.what


def test_a_toml_file_with_comments_only_is_an_empty_table() -> None:
    assert load_recipe(b"# nothing\n", name="r.toml").data == {}


def test_duplicates_are_refused_all_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load_recipe(b"a: 1\na: 2\nb: 1\nb: 2\n")
    assert caught.value.code == "SR-CONFIG-001"
    assert [line.partition(" ")[0] for line in caught.value.evidence] == ["recipe.yaml:2:", "recipe.yaml:4:"]
    assert len(read_recipe(b"a: 1\na: 2\nb: 1\nb: 2\n").problems) == 2


def test_settings_from_python_are_read_like_a_recipe() -> None:
    document = load_recipe({"trainer": "x", "hidden": (1, 2), "model": {"kind": "m"}})
    assert document.data == {"trainer": "x", "hidden": [1, 2], "model": {"kind": "m"}}
    assert document.where(("trainer",)) == "the settings"
    assert code({"a": object()}) == "SR-CONFIG-003"  # type: ignore[arg-type]
    assert code({"a": float("nan")}) == "SR-CONFIG-003"  # type: ignore[arg-type]


def test_a_file_of_data_is_not_read_as_a_recipe() -> None:
    Path("data.json").write_bytes(b" " * (SIZE_LIMIT + 1))
    assert code("data.json") == "SR-CONFIG-003"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_recipe_in_wide_characters_is_called_by_its_encoding(encoding: str) -> None:
    with pytest.raises(ConfigError, match="not UTF-8") as caught:
        load_recipe(("\ufeff" + "trainer: x\n").encode(encoding), name="r.yaml")
    name = encoding.upper()[:6]
    assert caught.value.do == f"iconv -f {name} -t UTF-8 r.yaml"
    assert name in caught.value.what


@pytest.mark.parametrize("raw", [b"", b"- a\n- b\n", b"null\n", b"just words\n"])
def test_what_is_no_table_of_settings_is_told_how_a_recipe_begins(raw: bytes) -> None:
    with pytest.raises(ConfigError) as caught:
        load_recipe(raw)
    assert "`trainer: supervised`" in caught.value.do and "samerun explain digits" in caught.value.do
