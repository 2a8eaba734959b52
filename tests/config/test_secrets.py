"""Settings typed `Secret`: references alone, read when the run starts, named where they are not here."""

from __future__ import annotations

import copy
import json
import pickle
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from samerun.base.redact import redact_text
from samerun.base.revealed import forget_all
from samerun.config.bind import bind
from samerun.config.layers import resolve
from samerun.config.schema import SECRET_REASON, Secret
from samerun.config.secrets import read_secrets, recorded_secrets, secrets_of
from samerun.errors import ConfigError, MissingError

LITERAL = "plain-words-of-nobody"
PARTS = """
from samerun.config.parts import Part
from samerun.config.schema import RunTable, Secret, Table

class Inner(Table):
    tracker: Secret | None = None
    '''Where.'''

class Whole(RunTable):
    login: Secret
    '''Where.'''
    more: tuple[Secret, ...] = ()
    '''Where.'''
    by_name: dict[str, Secret] = {}
    '''Where.'''
    inner: Inner = Inner()
    '''Below.'''
    width: int = 3
    '''A number.'''

TRAINER = Part("whole", Whole, "secret_parts:build", "holds secrets")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "secret_parts.py").write_text(PARTS, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def nothing_remains() -> Iterator[None]:
    yield
    forget_all()


def recipe(**more: Any) -> dict[str, Any]:
    return {"trainer": "secret_parts:TRAINER", "steps": 1, "login": "env:LOGIN_HERE", **more}


def test_secrets_are_listed_by_their_setting_and_are_aside(project: Path) -> None:
    config = resolve(
        recipe(more=["env:A", "file:b"], by_name={"x": "env:C"}, inner={"tracker": "env:D"}), project=project
    )
    found = {path: secret.reference for path, secret in secrets_of(config.values).items()}
    assert found == {
        "login": "env:LOGIN_HERE",
        "more.0": "env:A",
        "more.1": "file:b",
        "by_name.x": "env:C",
        "inner.tracker": "env:D",
    }
    assert config.asides["login"] == SECRET_REASON
    assert not {"login", "more", "by_name", "inner"} & set(config.identity_values())
    recorded = recorded_secrets(config.plain, config.asides)
    assert recorded["login"] == "env:LOGIN_HERE" and recorded["inner.tracker"] == "env:D"


@pytest.mark.parametrize(
    "wrong",
    [
        {"login": LITERAL},
        {"login": 12345678},
        {"login": [LITERAL]},
        {"login": {"a": LITERAL}},
        {"login": "env:"},
        {"login": "env:not-a-name " + LITERAL},
        {"more": LITERAL},
        {"more": [LITERAL]},
        {"by_name": {"x": LITERAL}},
        {"by_name": LITERAL},
        {"inner": {"tracker": LITERAL}},
    ],
)
def test_a_literal_is_refused_and_never_repeated(project: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(recipe(**wrong), project=project)
    assert int(caught.value.exit_code) == 2
    for said in (str(caught.value), json.dumps(caught.value.as_json())):
        assert LITERAL not in said and "12345678" not in said
        assert "env:NAME or file:PATH" in said


@pytest.mark.parametrize(
    "setting",
    [f"login={LITERAL}", f"more=[{LITERAL}]", f"inner={{tracker: {LITERAL}}}", f"inner.tracker={LITERAL}"],
)
def test_a_literal_on_the_command_line_is_not_repeated_either(project: Path, setting: str) -> None:
    for more in ([], ["width=no"], [setting.replace("tracker", "trakker")]):
        with pytest.raises(ConfigError) as caught:
            resolve(recipe(), [*more, setting], project=project)
        assert LITERAL not in str(caught.value) or "trakker" in str(more)


def test_the_class_never_shows_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIN_HERE", LITERAL)
    secret = Secret("env:LOGIN_HERE")
    assert secret.reveal() == LITERAL
    shown = [repr(secret), str(secret), f"{secret}", repr(vars(secret)), repr([secret]), f"{secret!r:>50}"]
    shown += [
        repr(copy.deepcopy(secret)),
        pickle.dumps(secret).decode("latin-1"),
    ]
    try:
        raise ValueError(secret)
    except ValueError as error:
        shown += traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert not [text for text in shown if LITERAL in text]
    with pytest.raises(TypeError):
        json.dumps(secret)


def test_a_path_of_this_machine_is_not_shown(tmp_path: Path) -> None:
    secret = Secret(f"file:{tmp_path}/token")
    assert str(tmp_path) not in repr(secret) and secret.shown.startswith("file:[local path]")
    assert Secret("file:token").shown == "file:token"


def test_what_was_read_is_replaced_in_every_text_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIN_HERE", LITERAL)
    assert redact_text(LITERAL) == LITERAL
    Secret("env:LOGIN_HERE").reveal()
    assert redact_text(f"said {LITERAL}!") == "said [redacted]!"


def test_every_secret_that_is_not_here_is_named_with_its_setting(project: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    config = resolve(
        recipe(more=[f"file:{tmp_path}/none"], inner={"tracker": f"file:{tmp_path}/empty"}), project=project
    )
    with pytest.raises(MissingError) as caught:
        read_secrets(config.values)
    said = str(caught.value)
    assert caught.value.code == "SR-CONFIG-016" and int(caught.value.exit_code) == 4
    assert "login: the environment variable LOGIN_HERE is not set" in said
    assert "more.0: the secret file" in said and "is empty" in said


class Model(BaseModel):
    tracker: Secret
    width: int = 3


@dataclass
class Data:
    tracker: Secret
    width: int = 3


@pytest.mark.parametrize("kind", [Model, Data, dict])
def test_a_loops_config_may_hold_one(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingError) as caught:
        bind(kind(tracker=Secret("env:LOGIN_HERE"), width=3))
    assert "tracker" in caught.value.what
    monkeypatch.setenv("LOGIN_HERE", LITERAL)
    config = kind(tracker=Secret("env:LOGIN_HERE"), width=3)
    bound = bind(config)
    assert bound.plain == {"tracker": "env:LOGIN_HERE", "width": 3}
    assert bound.asides == {"tracker": SECRET_REASON}
    assert bound.identity_values() == {"width": 3}


class Several(BaseModel):
    trackers: tuple[Secret, ...]


def test_so_may_a_list_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIN_HERE", LITERAL)
    for config in (Several(trackers=(Secret("env:LOGIN_HERE"),)), {"trackers": [Secret("env:LOGIN_HERE")]}):
        bound = bind(config)
        assert bound.plain == {"trackers": ["env:LOGIN_HERE"]} and LITERAL not in repr(bound)
        assert redact_text(LITERAL) == "[redacted]"
