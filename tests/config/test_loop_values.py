"""Any config object of a loop as plain values, or a refusal that names the path."""

from __future__ import annotations

import argparse
import sys
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from samerun.config.loop_values import plain_table
from samerun.errors import ConfigError


class Colour(Enum):
    RED = "red"


class Size(IntEnum):
    SMALL = 1


class Tag(StrEnum):
    NEW = "new"


@dataclass
class Model:
    hidden: tuple[int, ...] = (64, 64)
    where: Path = Path("a/b")


@dataclass
class Config:
    rate: float = 1e-3
    model: Model = field(default_factory=Model)


class Settings(BaseModel):
    model_config = ConfigDict(extra="allow")
    rate: float = 1e-3
    names: list[str] = ["a"]


def read(config: object) -> dict[str, Any]:
    return plain_table(config, {})


def test_every_kind_of_config_is_read() -> None:
    wanted = {"rate": 1e-3, "model": {"hidden": [64, 64], "where": "a/b"}}
    assert read(Config()) == wanted
    assert read(OrderedDict(rate=1e-3, model=Model())) == wanted
    assert read(argparse.Namespace(rate=1e-3, model=Model())) == wanted
    assert read(SimpleNamespace(rate=1e-3, model=Model())) == wanted
    assert read(namedtuple("Pair", "rate model")(1e-3, Model())) == wanted
    assert read(Settings(extra=1)) == {"rate": 1e-3, "names": ["a"], "extra": 1}
    assert read(None) == {}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (np.float32(0.5), 0.5),
        (np.float64(0.1), 0.1),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (Colour.RED, "red"),
        (Size.SMALL, 1),
        (Tag.NEW, "new"),
        (Path("/tmp/x"), "/tmp/x"),
        ((1, [2, (3,)]), [1, [2, [3]]]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ({1: "a", "b": 2}, {"1": "a", "b": 2}),
        ({Colour.RED: 1}, {"red": 1}),
        (2**200, 2**200),
        (None, None),
    ],
)
def test_values_become_plain_and_of_python_types(value: object, wanted: object) -> None:
    found = read({"x": value})["x"]
    assert found == wanted
    assert type(found) is type(wanted)


def test_torch_dtypes_and_devices_go_by_their_name() -> None:
    torch = pytest.importorskip("torch")
    config = {"dtype": torch.bfloat16, "device": torch.device("cuda", 1), "shape": torch.Size([2, 3])}
    assert read(config) == {"dtype": "torch.bfloat16", "device": "cuda:1", "shape": [2, 3]}


@pytest.mark.parametrize(
    "value", [object(), len, int, np.zeros(3), b"x", 1j, iter([]), np.datetime64("2024-01-01"), Model, lambda: 1]
)
def test_what_has_no_plain_form_is_refused_by_its_path(value: object) -> None:
    with pytest.raises(ConfigError, match=r"'model\.layers\.1'") as caught:
        read({"model": {"layers": [1, value]}})
    assert caught.value.code == "SR-CONFIG-013"


@pytest.mark.parametrize("config", [3, "text", [1, 2], object(), Config])
def test_what_is_no_table_of_names_is_no_config(config: object) -> None:
    with pytest.raises(ConfigError, match="the config is of type"):
        read(config)


def test_a_config_that_contains_itself_is_refused() -> None:
    loop: dict[str, Any] = {"a": []}
    loop["a"].append(loop)
    with pytest.raises(ConfigError, match=r"'a\.0'"):
        read(loop)


def test_a_value_that_stands_twice_is_no_loop() -> None:
    shared = [1]
    assert read({"a": shared, "b": shared}) == {"a": [1], "b": [1]}


def test_keys_that_are_no_text_or_meet_as_text_are_refused() -> None:
    for table in ({None: 1}, {True: 1}, {1.5: 1}, {(1,): 1}, {1: "a", "1": "b"}):
        with pytest.raises(ConfigError) as caught:
            read({"x": table})
        assert caught.value.code == "SR-CONFIG-013"


def test_negative_zero_is_refused_by_its_path() -> None:
    for zero in (-0.0, np.float32(-0.0)):
        with pytest.raises(ConfigError, match=r"'x\.0' is -0\.0") as caught:
            read({"x": [zero]})
        assert caught.value.code == "SR-CONFIG-010"


@given(st.sets(st.integers() | st.text(max_size=3)))
def test_a_set_has_one_order_however_it_was_built(items: set[int | str]) -> None:
    again: set[int | str] = set()
    for item in sorted(items, key=repr, reverse=True):
        again.add(item)
    assert read({"x": items}) == read({"x": again})


class DictConfig(dict[str, Any]):
    """Stands in for OmegaConf's container, which is known by its module alone; the real one was tried by hand."""

    __module__ = "omegaconf.dictconfig"


def test_omegaconf_is_resolved_by_itself_and_its_errors_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unresolved(Exception): ...

    class OmegaConf:
        @staticmethod
        def to_container(value: DictConfig, *, resolve: bool, throw_on_missing: bool) -> dict[str, Any]:
            assert resolve and throw_on_missing
            if "???" in value.values():
                raise Unresolved("Missing mandatory value: x")
            return {key: "resolved" for key in value}  # noqa: C420

    library = SimpleNamespace(OmegaConf=OmegaConf, errors=SimpleNamespace(OmegaConfBaseException=Unresolved))
    monkeypatch.setitem(sys.modules, "omegaconf", library)
    assert read(DictConfig(a="${b}")) == {"a": "resolved"}
    assert read({"inner": DictConfig(a="${b}")}) == {"inner": {"a": "resolved"}}
    with pytest.raises(ConfigError, match="OmegaConf") as caught:
        read({"inner": DictConfig(a="???")})
    assert caught.value.evidence == ("Missing mandatory value: x",)


BROKEN = "\ud800"


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"a": BROKEN}, "a"),
        ({"a": {"b": [1, "x" + BROKEN]}}, "a.b.1"),
        ({"a": {BROKEN, "plain"}}, "a."),
        ({"a": Path("\udcff.bin")}, "a"),
        ({BROKEN: 1}, '"\\ud800"'),
        ({"a": {BROKEN: 1}}, 'a."\\ud800"'),
        (SimpleNamespace(a=BROKEN), "a"),
    ],
    ids=["value", "list", "set", "path", "key", "inner key", "namespace"],
)
def test_text_that_is_no_unicode_is_refused_by_its_path(config: object, path: str) -> None:
    with pytest.raises(ConfigError, match="surrogate") as caught:
        read(config)
    assert caught.value.code == "SR-CONFIG-013"
    assert f"'{path}" in str(caught.value)
    str(caught.value).encode()
