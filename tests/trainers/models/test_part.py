"""The built-in models as parts."""

from __future__ import annotations

from samerun.config.parts import find_part, load_build
from samerun.trainers.models import part


def test_every_model_is_found_by_its_entry_point_and_can_be_built() -> None:
    for model in (part.MLP, part.CNN, part.GPT):
        assert find_part("models", model.name, None) == model
        assert callable(load_build(model))
