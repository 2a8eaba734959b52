"""Record every operation that torch dispatches while a step is made: forward, backward and optimizer alike.

The recorder looks on: it computes nothing, moves no generator and keeps no tensor. How a step comes to be made again is
redo.py's, the file format is record/trace.py's.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from samerun.errors import SamerunError
from samerun.record.trace import GENERATOR, UNSET, Operation
from samerun.rerun.tracing.calls import Calls
from samerun.rerun.tracing.subjects import Subjects, storage_of
from samerun.state.digest import digest_tensor

_NO_ARITHMETIC = ("profiler::", "prim::")
_UNSET_MAKERS = frozenset(
    f"aten::{name}"
    for name in ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_")
)
_STORAGE_TAKER = "aten::set_.source_Storage"
_TEXT_LIMIT = 400


class Recorder(TorchDispatchMode):
    """Lists the operations of the stretches during which it is entered."""

    def __init__(self, objects: Mapping[str, object], root: str) -> None:
        """`objects` are the tracked ones by name; paths of source files are given relative to `root`."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: list[Operation] = []
        self._subjects = Subjects(objects)
        self._calls = Calls(objects, root, self._subjects.name_of)
        self._threads: dict[int, int] = {}
        self._unset: dict[int, StorageWeakRef] = {}

    def __enter__(self) -> Recorder:
        self._calls.watch(self._subjects.note_gradients, self._subjects.forget_gradients)
        return super().__enter__()  # type: ignore[no-any-return, no-untyped-call]

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        self._calls.unwatch()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._name
        if name.startswith(_NO_ARITHMETIC):
            return func(*args, **kwargs)
        place = self._calls.place()
        taken = _tensors([args, kwargs])
        written = _written(func, args, kwargs)
        inputs = [self._digest(tensor) for tensor in taken]
        subjects = [self._subjects.name_of(tensor) for tensor in taken]
        if torch.Tag.nondeterministic_seeded in func.tags:
            inputs.append(_generator_digest(taken, kwargs))
            subjects.append(GENERATOR)
        spelled = _spell_call(args, kwargs)
        given = func(*args, **kwargs)
        outputs = _tensors(given)
        self._note_unset(name, args, written, outputs)
        outputs += [tensor for tensor in written if not any(tensor is one for one in outputs)]
        thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
        digests = (*map(self._digest, outputs), *_plain(given))
        self.operations.append(
            Operation(
                name, place.phase, place.module, place.source, thread, spelled, tuple(inputs), digests, tuple(subjects)
            )
        )
        return given

    def _note_unset(self, name: str, args: Any, written: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        """Keep account of memory that holds whatever lay there before: its bytes are no result of any operation."""
        if name.partition(".")[0] in _UNSET_MAKERS:
            unset = [tensor.untyped_storage() for tensor in outputs if tensor.layout is torch.strided]
        elif name.startswith(_STORAGE_TAKER):
            # `copy.deepcopy` makes a storage without an operation, and fills it through a tensor that takes it.
            unset = [args[1]] if not self._subjects.owns(args[1]._cdata) else []
        else:
            for tensor in written:
                self._unset.pop(storage_of(tensor), None)
            return
        # A weak reference keeps the storage's own address from being used again, though its memory is given back.
        for storage in unset:
            self._unset[storage._cdata] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]

    def _digest(self, tensor: torch.Tensor) -> str | None:
        """Digest a tensor with dtype, shape and order; None for what has no bytes that we can read."""
        if self._unset and storage_of(tensor) in self._unset:
            return UNSET
        try:
            if tensor.layout is torch.sparse_coo:
                parts = (tensor._indices(), tensor._values())
                return "+".join(digest_tensor(part) for part in parts)
            return digest_tensor(tensor) if tensor.layout is torch.strided else None
        except (SamerunError, RuntimeError, NotImplementedError, KeyError):
            return None


def _tensors(tree: Any) -> list[torch.Tensor]:
    """List the tensors of nested lists, tuples and dicts, in order."""
    if isinstance(tree, torch.Tensor):
        return [tree]
    if isinstance(tree, dict):
        tree = tree.values()
    elif not isinstance(tree, (list, tuple)):
        return []
    return [tensor for item in tree for tensor in _tensors(item)]


def _plain(given: Any) -> list[str]:
    """List the plain numbers that came out: what `.item()` read may decide where the loop goes."""
    return [repr(given)] if isinstance(given, (bool, int, float, complex)) else []


def _written(func: Any, args: Any, kwargs: Mapping[str, Any]) -> list[torch.Tensor]:
    """List the tensors that the operation's schema says it changes in place."""
    found: list[torch.Tensor] = []
    for place, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[place] if place < len(args) else kwargs.get(argument.name)
            found += _tensors(value)
    return found


def _generator_digest(taken: list[torch.Tensor], kwargs: Mapping[str, Any]) -> str:
    """Digest where the generator stands that the operation will draw from."""
    generator = kwargs.get("generator")
    if generator is None:
        device = next((tensor.device for tensor in taken), torch.device(kwargs.get("device") or "cpu"))
        if device.type == "cuda":
            generator = torch.cuda.default_generators[device.index or 0]
        else:
            generator = torch.default_generator
    return digest_tensor(generator.get_state())


def _spell_call(args: Any, kwargs: Mapping[str, Any]) -> str:
    """Spell everything that is no tensor, exactly; tensors are numbered in the order of the inputs."""
    numbers = iter(range(1 << 30))
    parts = [_spell(value, numbers) for value in args]
    parts += [f"{key}={_spell(value, numbers)}" for key, value in kwargs.items() if value is not None]
    text = f"({', '.join(parts)})"
    if len(text) <= _TEXT_LIMIT:
        return text
    from samerun.base.digest import xxh3

    return f"{text[:_TEXT_LIMIT]}... {xxh3(text.encode('utf-8', 'backslashreplace'))}"


def _spell(value: Any, numbers: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"t{next(numbers)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_spell(item, numbers) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_spell(item, numbers)}' for key, item in value.items())}}}"
    if isinstance(value, torch.Generator):
        return GENERATOR
    if isinstance(value, torch.UntypedStorage):
        return f"storage of {value.nbytes()} bytes"  # printed, it would show its bytes
    return str(value).removeprefix("torch.") if not isinstance(value, (str, float)) else repr(value)
