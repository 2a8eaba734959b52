"""Each advice names a call that there is."""

from __future__ import annotations

import samerun.run.run as run
from samerun.run.carried import advice


def test_what_is_advised_exists() -> None:
    assert hasattr(run.Run, "track") and hasattr(run.Run, "loader")
    assert advice.of_local("best") == "run.values['best']"
    assert advice.of_object("optim") == "run.track(optim=...)"
    assert advice.of_object("0 x") == "run.track(name=...)"
    assert advice.of_gradients("model") == "run.track(gradients=model)"
    assert advice.of_generator("rng").startswith("run.track(rng=...)")


def test_an_attribute_is_saved_by_what_holds_it() -> None:
    assert "buffer" in advice.of_attribute(object(), is_module=True, is_tracked=True)
    assert "load_state_dict" in advice.of_attribute(object(), is_module=False, is_tracked=True)
    assert "run.track" in advice.of_attribute(object(), is_module=False, is_tracked=False)
