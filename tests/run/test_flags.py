"""Modes and trained parameters, which state_dict leaves out."""

import torch

from samerun.run.flags import flags_of, modes_of, put_flags


def network() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5), torch.nn.Linear(2, 1))


def test_modes_are_put_back_part_by_part() -> None:
    model = network()
    model[1].eval()
    modes = modes_of([model, object()])
    model.eval()
    modes.put_back()
    assert [part.training for part in model.modules()] == [True, True, False, True]


def test_flags_name_what_is_in_eval_mode_and_what_is_not_trained_and_come_back() -> None:
    model = network()
    model[1].eval()
    model[0].weight.requires_grad_(False)
    flags = flags_of({"model": model, "other": {}})
    assert flags == {"model": {"eval": ["1"], "frozen": ["0.weight"]}}
    fresh = network()
    fresh[2].eval()
    fresh[2].bias.requires_grad_(False)
    put_flags({"model": fresh}, flags)
    assert flags_of({"model": fresh}) == flags


def test_a_module_without_stored_flags_stays_as_it_is() -> None:
    model = network()
    model.eval()
    put_flags({"model": model}, {})
    assert not model.training
