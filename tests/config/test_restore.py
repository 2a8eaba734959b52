"""A recorded run's config, made again: for a resume, and for a fork."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samerun.base.canon import canonical_bytes, parse_json
from samerun.config.origin import Origin
from samerun.config.resolved import Config
from samerun.config.restore import restore
from samerun.errors import ConfigError, ExitCode, RefusedError

FULL = """
seed: 170141183460469231731687303715884105729
label: "170141183460469231731687303715884105729"
schedule: {kind: practice.parts:COSINE}
groups: [{match: a, rate: 1}]
weights: {"a.b": 2}
init: {from: somewhere}
token: env:HF_TOKEN
exact_except: [aten::cumsum]
"""


@pytest.fixture
def config(resolved: Callable[..., Config]) -> Config:
    return resolved(FULL, "rate=3")


def stored(config: Config) -> dict[str, Any]:
    """What a run folder keeps of a config, after canonical JSON and back."""
    origins = {path: origin.as_json() for path, origin in config.origins.items()}
    document = {"values": config.plain, "origins": origins, "submitted": {"name": config.submitted_name}}
    read: dict[str, Any] = parse_json(canonical_bytes(document), "config.json")
    return read


def test_a_config_comes_back_from_its_json_value_for_value(config: Config, project: Path) -> None:
    again = restore(stored(config), project=project, submitted=config.submitted)
    assert again.values == config.values
    assert (again.plain, again.origins, again.standings) == (config.plain, config.origins, config.standings)
    assert (again.digest, again.submitted_digest) == (config.digest, config.submitted_digest)
    assert stored(again) == stored(config)


def test_large_integers_come_back_as_integers_and_text_of_digits_as_text(config: Config, project: Path) -> None:
    again = restore(stored(config), project=project)
    assert again.values.seed == 2**127 + 1
    assert again.plain["label"] == str(2**127 + 1)


def test_a_resume_may_set_what_is_aside(config: Config, project: Path) -> None:
    again = restore(stored(config), ["steps=20", "checkpoint.every=5", "name=later"], project=project)
    assert (again.values.steps, again.values.checkpoint.every, again.digest) == (20, 5, config.digest)
    assert again.origins["steps"] == Origin("set", "-s steps=20")
    assert again.origins["rate"] == Origin("set", "-s rate=3")
    assert again.values.horizon_steps == 10


def test_a_resume_may_not_move_the_identity(config: Config, project: Path) -> None:
    for setting, path in [
        ("rate=4", "rate"),
        ("tier=fast", "tier"),
        ("horizon_steps=20", "horizon_steps"),
        ("seed=1", "seed"),
    ]:
        with pytest.raises(RefusedError) as caught:
            restore(stored(config), [setting, "steps=20"], project=project)
        assert (caught.value.code, caught.value.exit_code) == ("SR-CONFIG-012", ExitCode.REFUSED)
        assert path in caught.value.what
        assert f"by -s {setting}" in caught.value.evidence[0]
        assert caught.value.do == f"a new run: samerun train RECIPE -s {setting}"


def test_setting_a_value_to_what_it_is_moves_nothing(config: Config, project: Path) -> None:
    assert restore(stored(config), ["rate=3.0", "tier=exact"], project=project).digest == config.digest


def test_a_fork_may_change_anything_and_a_kind_resets_its_table(config: Config, project: Path) -> None:
    again = restore(stored(config), ["model.kind=practice.parts:CNN"], project=project, only_aside=False)
    assert again.plain["model"] == {"kind": "practice.parts:CNN", "channels": [8, 16]}
    assert len(again.notes) == 1


def test_wrong_settings_are_reported_as_ever(config: Config, project: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        restore(stored(config), ["setps=5", "steps=x"], project=project)
    assert caught.value.code == "SR-CONFIG-001"


def test_a_setting_that_is_new_since_then_takes_its_default(config: Config, project: Path) -> None:
    document = stored(config)
    del document["values"]["mode"], document["origins"]["mode"], document["origins"]["rate"]
    again = restore(document, project=project)
    assert again.origins["mode"] == Origin("default", "PracticeTable")
    assert again.origins["rate"] == Origin("restored", "config.json")
    assert again.digest == config.digest


def test_a_part_that_is_gone_is_named(config: Config, project: Path) -> None:
    document = stored(config)
    document["values"]["trainer"] = "practice.parts:GONE"
    with pytest.raises(ConfigError, match=r"practice\.parts:GONE"):
        restore(document, project=project)
