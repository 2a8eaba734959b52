"""Values that no setting may have: negative zero, what is not finite, broken text, secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.config.layers import Config, resolve
from samerun.errors import ConfigError


@pytest.mark.parametrize("text", ["-0.0", "-0", "-0e3", ".nan", ".inf", "-.inf", "1e999"])
def test_negative_zero_and_what_is_not_finite_are_refused_in_a_recipe_and_by_a_setting(
    refused: Callable[..., ConfigError], text: str
) -> None:
    for error in (refused(f"rate: {text}\n"), refused("", f"rate={text}")):
        assert error.code == "SR-CONFIG-010"
    assert refused(f"rate: {text}\n").evidence == ("recipe.yaml:4",)
    assert refused("", f"rate={text}").evidence == (f"-s rate={text}",)


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ('{"trainer": "x", "a": -0.0}', "r.json"),
        ('{"trainer": "x", "a": -0}', "r.json"),
        ('trainer = "x"\na = -0.0', "r.toml"),
    ],
)
def test_negative_zero_is_refused_in_every_syntax(raw: str, name: str) -> None:
    Path(name).write_text(raw)
    with pytest.raises(ConfigError, match=r"-0\.0"):
        resolve(name)


def test_half_a_surrogate_pair_is_refused_in_values_and_keys() -> None:
    Path("r.json").write_text('{"trainer": "\\ud800", "\\udfff": 1}')
    with pytest.raises(ConfigError) as caught:
        resolve("r.json")
    assert str(caught.value).count("surrogate") == 2
    str(caught.value).encode()


@pytest.mark.parametrize(
    ("text", "setting", "path"),
    [
        ('label: "\\ud800"\n', 'label="\\ud800"', "'label'"),
        ('"\\udfff": 1\n', '"\\udfff"=1', "'\"\\udfff\"'"),
        ('weights: {"\\udfff": 1}\n', 'weights={"\\udfff": 1}', "'weights.\"\\udfff\"'"),
    ],
    ids=["value", "key", "inner key"],
)
def test_half_a_surrogate_pair_is_the_only_problem_it_makes(
    refused: Callable[..., ConfigError], text: str, setting: str, path: str
) -> None:
    for error in (refused(text), refused("", setting)):
        assert error.code == "SR-CONFIG-003"
        assert error.what == f"{path} is text with half a surrogate pair, which is no Unicode text"
        str(error).encode()


@pytest.mark.parametrize("recipe", [{"trainer": "x", "\ud800": 1}, {"trainer": "x", "a": {"b": "\udfff"}}])
def test_half_a_surrogate_pair_in_a_mapping_is_refused_by_its_path(recipe: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="surrogate") as caught:
        resolve(recipe)
    str(caught.value).encode()


SECRETS = [
    "label: hf_abcdEFGH01234567890123\n",
    "label: https://user:Swordfish77@example.com/x\n",
    "hub: {api_key: Swordfish77}\n",
    "password: Swordfish77\n",
    "token: Swordfish77\n",
    "label: x # hf_abcdEFGH01234567890123\n",
    "# password=Swordfish77\n",
    "groups: [{match: a, note: AKIAIOSFODNN7EXAMPLE}]\n",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_in_a_recipe_is_refused_and_never_repeated(refused: Callable[..., ConfigError], text: str) -> None:
    error = refused(text)
    assert "SR-CONFIG-009" in str(error)
    assert "recipe.yaml:4" in str(error)
    for secret in ("hf_abcd", "Swordfish77", "AKIA"):
        assert secret not in str(error)


def test_a_secret_given_by_a_setting_is_refused_and_never_repeated(refused: Callable[..., ConfigError]) -> None:
    for setting in ("label=hf_abcdEFGH01234567890123", "password=Swordfish77", "token=Swordfish77"):
        error = refused("", setting)
        assert "SR-CONFIG-009" in str(error)
        assert "hf_abcd" not in str(error)
        assert "Swordfish77" not in str(error)


def test_references_to_secrets_and_words_that_only_sound_like_them_are_taken(resolved: Callable[..., Config]) -> None:
    config = resolved("token: env:HF_TOKEN\nlabel: tokenizer\nweights: {num_memory_tokens: 3, use_cls_token: 1}\n")
    assert config.plain["token"] == "env:HF_TOKEN"
    assert config.values.token.reference == "env:HF_TOKEN"  # type: ignore[attr-defined]
