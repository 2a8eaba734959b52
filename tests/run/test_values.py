"""run.values."""

import pytest

from samerun.run.values import Values


def test_values_are_a_dict_that_can_be_saved_and_put_back() -> None:
    values = Values()
    values["best"] = 0.5
    values["seen"] = [1, 2]
    stored = values.state_dict()
    values["best"] = 0.7
    del values["seen"]
    values.load_state_dict(stored)
    assert dict(values) == {"best": 0.5, "seen": [1, 2]} and len(values) == 2


def test_only_text_keys() -> None:
    with pytest.raises(TypeError):
        Values()[3] = 1  # type: ignore[index]
