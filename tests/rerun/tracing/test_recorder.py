"""The recorder sees every operation with what went in and out, and changes no number."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch

from samerun.record.trace import GENERATOR, UNSET, Operation
from samerun.rerun.tracing.recorder import Recorder
from samerun.state.digest import digest_tensor


def recorded(body: Callable[[], object], **objects: object) -> list[Operation]:
    recorder = Recorder(objects, "/nowhere")
    with recorder:
        body()
    return recorder.operations


def named(operations: list[Operation], name: str) -> list[Operation]:
    return [one for one in operations if one.name.partition(".")[0] == f"aten::{name}"]


def test_inputs_and_outputs_are_digests_of_the_tensors() -> None:
    a, b = torch.arange(6.0).reshape(2, 3), torch.ones(3, 2)
    (one,) = recorded(lambda: a @ b)
    assert one.inputs == (digest_tensor(a), digest_tensor(b)) and one.outputs == (digest_tensor(a @ b),)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.neg(),
        lambda t: t.flip(0),
        lambda t: t.double(),
        lambda t: t.reshape(3, 2),
        lambda t: torch.where(t == 0, -0.0, t),
        lambda t: torch.nextafter(t, t + 1),
    ],
)
def test_sign_order_type_shape_and_last_bit_show(change: Any) -> None:
    a = torch.arange(6.0).reshape(2, 3)
    assert recorded(a.abs)[0].inputs != recorded(change(a).abs)[0].inputs


def test_what_is_changed_in_place_is_an_output() -> None:
    a = torch.zeros(3)
    before = digest_tensor(a)
    (one,) = recorded(lambda: a.add_(1))
    assert (one.inputs, one.outputs) == ((before,), (digest_tensor(a),))
    pair = [torch.zeros(2), torch.ones(2)]
    (many,) = recorded(lambda: torch._foreach_add_(pair, 1.0))  # type: ignore[attr-defined]
    assert many.outputs == tuple(map(digest_tensor, pair))


def test_memory_that_nobody_wrote_is_no_input() -> None:
    empty, filled, used = recorded(lambda: torch.empty(1000).fill_(2.0).sum())
    assert (empty.outputs, filled.inputs) == ((UNSET,), (UNSET,))
    assert UNSET not in (*filled.outputs, *used.inputs)


def test_numbers_are_spelled_exactly_and_read_numbers_are_outputs() -> None:
    a = torch.ones(1)
    first = recorded(lambda: a * 0.1)[0]
    second = recorded(lambda: a * 0.10000000000000002)[0]
    assert first.arguments != second.arguments
    assert named(recorded(lambda: a.item()), "_local_scalar_dense")[0].outputs == ("1.0",)


def test_an_operation_that_draws_has_its_generator_as_input() -> None:
    torch.manual_seed(1)
    first = recorded(lambda: torch.rand(2))[0]
    second = recorded(lambda: torch.rand(2))[0]
    assert first.subjects[-1] == GENERATOR and first.inputs != second.inputs
    own = torch.Generator().manual_seed(1)
    assert recorded(lambda: torch.rand(2, generator=own))[0].inputs == first.inputs


def test_backward_and_optimizer_are_recorded_with_the_forward_place() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)

    def step() -> None:
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()

    operations = recorded(step, model=model, optimizer=optimizer)
    places = {(one.phase, one.module) for one in named(operations, "addmm") + named(operations, "mm")}
    assert places == {
        ("forward", "model.0"),
        ("forward", "model.2"),
        ("backward", "model.0"),
        ("backward", "model.2"),
    }
    used = {subject for one in operations if one.phase == "optimizer" for subject in one.subjects}
    assert {"model.0.weight", "model.0.weight.grad"} <= used
    assert all("test_recorder.py:" in (one.source or "") for one in named(operations, "mm"))


def test_a_checkpointed_region_is_recomputed_and_said_so() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3))
    data = torch.ones(2, 3, requires_grad=True)

    def step() -> None:
        torch.utils.checkpoint.checkpoint(layer, data, use_reentrant=False).sum().backward()

    calls = [(one.phase, one.module) for one in named(recorded(step, layer=layer), "addmm")]
    assert calls == [("forward", "layer.0"), ("forward", "layer.2"), ("recompute", "layer.0")]


def test_a_function_of_the_users_own_is_named_by_its_own_line_in_backward() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            return gradient.cosh()

    data = torch.ones(2, requires_grad=True)
    (one,) = named(recorded(lambda: Doubled.apply(data).sum().backward()), "cosh")
    line = Doubled.backward.__code__.co_firstlineno + 2
    assert one.phase == "backward" and one.source is not None and one.source.endswith(f"test_recorder.py:{line}")


def test_recording_changes_no_bit() -> None:
    def trained(is_recorded: bool) -> list[str]:
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(8))
        optimizer = torch.optim.AdamW(model.parameters(), 0.1)

        def step() -> None:
            optimizer.zero_grad()
            model(torch.randn(6, 4)).square().mean().backward()
            optimizer.step()

        for _ in range(3):
            if is_recorded:
                recorded(step, model=model, optimizer=optimizer)
            else:
                step()
        return [digest_tensor(tensor) for tensor in model.state_dict().values()]

    assert trained(is_recorded=True) == trained(is_recorded=False)


def test_what_cannot_be_digested_is_none_and_sparse_tensors_can() -> None:
    weight = torch.nn.Embedding(5, 2, sparse=True)
    operations = recorded(lambda: weight(torch.tensor([1, 1])).sum().backward(), weight=weight)
    assert all(digest is not None for one in operations for digest in one.outputs)
    (meta,) = recorded(lambda: torch.ones(2, device="meta").add(1))[-1:]
    assert meta.outputs == (None,)


def test_hooks_are_gone_afterwards() -> None:
    from torch.nn.modules import module
    from torch.optim import optimizer

    before = [len(hooks) for hooks in (module._global_forward_hooks, optimizer._global_optimizer_pre_hooks)]
    recorded(lambda: torch.nn.Linear(2, 2)(torch.ones(1, 2)))
    assert [len(hooks) for hooks in (module._global_forward_hooks, optimizer._global_optimizer_pre_hooks)] == before


def test_a_copy_made_beside_all_operations_is_the_same_each_time() -> None:
    """`copy.deepcopy` fills a storage that no operation made: what lay there before is no input."""
    held, net = torch.arange(4.0), torch.nn.Linear(4, 4)
    net.register_buffer("counts", torch.arange(5.0))

    def copied() -> None:
        for _ in range(3):
            (torch.full((4,), 3.0), copy.deepcopy(held), copy.deepcopy(net), torch.full((4,), 5.0))

    first, second = recorded(copied, net=net), recorded(copied, net=net)
    assert first == second
    assert digest_tensor(torch.arange(5.0).view(torch.uint8)) in {
        digest for one in named(first, "copy_") for digest in one.inputs
    }


def test_memory_that_is_used_again_is_what_was_put_there() -> None:
    """An address that held unset memory before is not unset for ever, also where no operation filled it."""

    def used() -> None:
        for _ in range(50):
            torch.empty(1)
            torch.tensor(2.5)

    taken = named(recorded(used), "lift_fresh")
    assert len(taken) == 50 and {one.inputs for one in taken} == {(digest_tensor(torch.tensor(2.5)),)}
