"""Each advice names a call that there is."""

from __future__ import annotations

import re
from pathlib import Path

import samerun
from samerun.run.carried import advice


def test_what_is_advised_exists(tmp_path: Path) -> None:
    constants = [text for name, text in vars(advice).items() if name.isupper()]
    made = [
        advice.of_local("best"),
        advice.of_object("optim"),
        advice.of_gradients("model"),
        advice.of_generator("rng"),
    ]
    named = {name for text in (*constants, *made) for name in re.findall(r"\brun\.(\w+)", text)}
    assert named == {"values", "track", "loader"}
    with samerun.start("advised", seed=7, runs=tmp_path) as run:
        assert all(hasattr(run, name) for name in named)
        run.finish()
    assert advice.of_local("best") == "run.values['best']"
    assert advice.of_object("optim") == "run.track(optim=...)"
    assert advice.of_object("0 x") == "run.track(name=...)"
    assert advice.of_gradients("model") == "run.track(gradients=model)"
    assert advice.of_generator("rng").startswith("run.track(rng=...)")


def test_an_attribute_is_saved_by_what_holds_it() -> None:
    assert "buffer" in advice.of_attribute(object(), is_module=True, is_tracked=True)
    assert "load_state_dict" in advice.of_attribute(object(), is_module=False, is_tracked=True)
    assert "run.track" in advice.of_attribute(object(), is_module=False, is_tracked=False)
