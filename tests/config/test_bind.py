"""The config of a plain loop: what counts, what is aside, and secrets that are never recorded."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from samerun.base.canon import canonical_bytes
from samerun.config.bind import bind
from samerun.config.origin import explain
from samerun.config.schema import Aside, Table, aside
from samerun.errors import ConfigError


@dataclass
class Output:
    folder: Annotated[str, Aside("where files go")] = "out"
    format: str = "png"


@dataclass
class Config:
    rate: float = 1e-3
    output: Output = field(default_factory=Output)
    log_every: int = field(default=10, metadata={"aside": "how often it prints"})


class Model(BaseModel):
    rate: float = 1e-3
    folder: Annotated[str, Aside("where files go")] = "out"
    cadence: int = Field(3, json_schema_extra={"aside": "how often"})


class Settings(Table):
    rate: float = 1e-3
    folder: str = aside("out", "where files go")


def test_the_same_values_give_the_same_digest_whatever_holds_them() -> None:
    digests = {
        bind({"rate": 0.5, "layers": [1, 2]}).digest,
        bind({"layers": (1, 2), "rate": 0.5}).digest,
        bind(argparse.Namespace(rate=0.5, layers=[1, 2])).digest,
    }
    assert len(digests) == 1
    assert bind({"rate": 0.6, "layers": [1, 2]}).digest not in digests


def test_annotations_set_values_aside_nested_ones_too() -> None:
    config = bind(Config())
    assert config.identity_values() == {"rate": 1e-3, "output": {"format": "png"}}
    assert config.asides == {"output.folder": "where files go", "log_every": "how often it prints"}
    assert bind(Model()).identity_values() == bind(Settings()).identity_values() == {"rate": 1e-3}


def test_values_are_set_aside_by_name_or_path() -> None:
    values = {"output_dir": "x", "data": {"cache": "y", "root": {"a": 1}}, "rate": 1, "layers": [1, 2]}
    config = bind(values, {"output_dir": "where files go", "data.cache": "a cache", "data.root": "content counts"})
    assert config.identity_values() == {"rate": 1, "data": {}, "layers": [1, 2]}
    assert config.asides["data.root.a"] == "content counts"
    assert config.digest == bind({"rate": 1, "data": {}, "layers": [1, 2]}).digest


def test_a_name_that_the_config_does_not_have_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'output_dir'") as caught:
        bind({"output_dir": "x"}, {"ouput_dir": "where files go"})
    assert caught.value.code == "SR-CONFIG-014"
    with pytest.raises(ConfigError, match="no reason"):
        bind({"output_dir": "x"}, {"output_dir": " "})


def test_secrets_are_replaced_by_a_marker_with_one_note_and_are_no_identity() -> None:
    values = {
        "hub": {"api_key": "Swordfish77", "url": "https://u:pw123456@example.com"},
        "list": ["hf_abcdEFGH01234567890123"],
    }
    config = bind(values)
    stored = repr(config)
    assert [secret in stored for secret in ("Swordfish77", "pw123456", "hf_abcd")] == [False] * 3
    assert config.plain["hub"]["api_key"] == "[redacted]"
    assert len(config.notes) == 1
    assert "3 values" in config.notes[0]
    assert "hub.api_key" in config.notes[0]
    other = bind({**values, "hub": {**values["hub"], "api_key": "Another99"}})  # type: ignore[dict-item]
    assert other.digest == config.digest
    assert "api_key" not in config.identity_values()["hub"]


def test_numbers_of_tokens_are_no_secrets() -> None:
    values = {"num_memory_tokens": 4, "tokenizer": "bpe", "use_cls_token": True, "max_tokens": 100}
    config = bind(values)
    assert (config.plain, config.notes) == (values, ())


def test_what_it_stores_is_canonical_and_can_be_explained() -> None:
    config = bind({"nan": float("nan"), "big": 2**70, "aside": 1}, {"aside": "only a remark"})
    assert json.loads(canonical_bytes(config.plain)) == {"nan": "NaN", "big": str(2**70), "aside": 1}
    rows = {row.path: row for row in explain(config)}
    assert (rows["aside"].standing.reason, rows["big"].origin.layer) == ("only a remark", "code")


def test_no_config_at_all_is_an_empty_one() -> None:
    config = bind(None)
    assert (config.plain, config.identity_values(), config.asides) == ({}, {}, {})


def test_the_object_given_is_not_changed() -> None:
    values: dict[str, Any] = {"api_key": "Swordfish77", "layers": [1]}
    bind(values).plain["layers"].append(2)
    assert values == {"api_key": "Swordfish77", "layers": [1]}


def test_a_name_or_reason_that_is_no_unicode_text_is_refused() -> None:
    for names in ({"a": "\ud800"}, {"\ud800": "why"}):
        with pytest.raises(ConfigError, match="SR-CONFIG-014") as caught:
            bind({"a": 1}, names)
        str(caught.value).encode()
    with pytest.raises(ConfigError, match="'a' is text with half a surrogate pair"):
        bind({"a": "\ud800"}, {"a": "only a label"})


@pytest.mark.parametrize(("names", "said"), [(("api_key",), "1 value"), (("api_key", "db_password"), "2 values")])
def test_what_was_not_recorded_is_said_in_a_sentence(names: tuple[str, ...], said: str) -> None:
    (note,) = bind(dict.fromkeys(names, "0123456789abcdef")).notes
    was = "was" if len(names) == 1 else "were"
    assert note == f"{said} of the config looked like a secret and {was} not recorded: {', '.join(names)}"
