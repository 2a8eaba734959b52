"""`-s key.path=value`."""

from __future__ import annotations

import pytest

from samerun.config.setting import parse_setting
from samerun.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("seed=7", ("seed",), 7),
        ("optimizer.learning_rate=1e-4", ("optimizer", "learning_rate"), 1e-4),
        ("rate=1.0e-4", ("rate",), 1e-4),
        ("rate=0.0001", ("rate",), 1e-4),
        ('rate="1e-4"', ("rate",), "1e-4"),
        ("name=no", ("name",), "no"),
        ("name=off", ("name",), "off"),
        ("name=012", ("name",), "012"),
        ("name=12:30:00", ("name",), "12:30:00"),
        ("name=2024-01-02", ("name",), "2024-01-02"),
        ("name=a=b", ("name",), "a=b"),
        ("name=", ("name",), None),
        ("name=null", ("name",), None),
        ('name=""', ("name",), ""),
        ("name= spaced out ", ("name",), "spaced out"),
        ("flag=true", ("flag",), True),
        ("model.hidden=[64, 32]", ("model", "hidden"), [64, 32]),
        ("init={from: x}", ("init",), {"from": "x"}),
        ("groups.0.rate=1", ("groups", "0", "rate"), 1),
        ('weights."a.b"=1', ("weights", "a.b"), 1),
        ('weights."a=b"=1', ("weights", "a=b"), 1),
        ("path=/tmp/x-1.csv", ("path",), "/tmp/x-1.csv"),
        ("token=env:HF_TOKEN", ("token",), "env:HF_TOKEN"),
    ],
)
def test_the_path_and_the_value_are_read(text: str, path: tuple[str, ...], value: object) -> None:
    setting = parse_setting(text)
    assert setting.path == path
    assert setting.value == value
    assert type(setting.value) is type(value)


@pytest.mark.parametrize("text", ["", "seed", "=7", ".a=1", "a.=1", "a..b=1", '"a=1'])
def test_what_is_not_of_that_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_setting(text)
    assert caught.value.code == "SR-CONFIG-008"


def test_a_setting_is_named_as_it_was_written_but_never_long_and_never_with_a_secret() -> None:
    assert parse_setting("model.hidden=[64, 32]").where == "-s model.hidden=[64, 32]"
    assert parse_setting("label=" + "x" * 100).where == "-s label=" + "x" * 60 + "..."
    assert parse_setting("hub.api_key=Swordfish77").where == "-s hub.api_key=..."
    assert parse_setting("label=hf_abcdEFGH01234567890123").where == "-s label=..."
    assert parse_setting("token=env:HF_TOKEN").where == "-s token=env:HF_TOKEN"


def test_bytes_of_a_command_line_that_are_no_utf_8_are_refused_in_printable_words() -> None:
    for text in ("label=caf\udce9", "caf\udce9", "caf\udce9=["):
        with pytest.raises(ConfigError) as caught:
            parse_setting(text)
        assert "\\udce9" in str(caught.value)
        str(caught.value).encode()
