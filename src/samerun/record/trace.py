"""Trace files: every dispatched torch operation of one step, in execution order, with digests of what went in and out.

One sealed JSON document, read and compared without torch, on any machine. How one is recorded: rerun/tracing/;
how two are compared: judge/operations.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from samerun.base.sealed import unseal, write_sealed
from samerun.errors import NoMatchError
from samerun.record.layout import RUN_FORMAT
from samerun.record.manifest import check_format, malformed

SCHEMA: Final = "samerun.trace"
UNSET: Final = "unset"
"""In place of the digest of memory that nobody has written yet."""
GENERATOR: Final = "generator"
"""Name of the input that stands for the generator which an operation draws from."""
_KEYS: Final = ("name", "phase", "module", "source", "thread", "arguments", "inputs", "outputs", "subjects")
_LISTS: Final = ("inputs", "outputs", "subjects")


@dataclass(frozen=True)
class Operation:
    """One dispatched operation."""

    name: str
    """As torch dispatches it: `aten::addmm`, `aten::add_.Tensor`."""
    phase: str
    """`forward`, `backward`, `recompute` (forward again inside backward) or `optimizer`."""
    module: str | None
    """Path of the calling module (`model.layers.0`), in backward of the forward call; None outside of modules."""
    source: str | None
    """`file:line` that called it, in backward of the forward call."""
    thread: int
    """Number of the thread, in order of first appearance."""
    arguments: str
    """Everything that is no tensor, spelled; tensors stand as t0, t1."""
    inputs: tuple[str | None, ...]
    """Digest of each tensor that went in, before the call; dtype and shape are in it. None: could not be digested."""
    outputs: tuple[str | None, ...]
    """Digest of each tensor that came out, then of those changed in place, then plain numbers that came out."""
    subjects: tuple[str | None, ...]
    """For each input the tracked tensor that it is (`model.0.weight`), or `generator`."""

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in a trace file."""
        return {key: getattr(self, key) for key in _KEYS}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Self:
        """Read what as_json gave. Raises DamageError for anything else."""
        if not isinstance(value, dict) or set(value) != set(_KEYS):
            raise malformed(where, f"an operation is {value!r:.200}")
        lists = {key: tuple(value[key]) for key in _LISTS if isinstance(value[key], list)}
        are_texts = all(one is None or isinstance(one, str) for found in lists.values() for one in found)
        if len(lists) != len(_LISTS) or not are_texts or len(lists["inputs"]) != len(lists["subjects"]):
            raise malformed(where, f"an operation is {value!r:.200}")
        return cls(**{**value, **lists})


@dataclass(frozen=True)
class Trace:
    """The operations of one step of one run."""

    run: str
    identity: str
    step: int
    begun: int
    """The checkpoint that the run went on from; the steps between were made again."""
    before: Mapping[str, str]
    """Digest of each component before the step."""
    after: Mapping[str, str]
    """Digest of each component after the body of the step."""
    platform: Mapping[str, Any]
    """Platform facts of where it was recorded."""
    operations: Sequence[Operation]

    def write(self, path: Path) -> None:
        """Write the file, replacing one that stands there."""
        fields = {key: getattr(self, key) for key in ("run", "identity", "step", "begun")}
        digests = {"before": dict(self.before), "after": dict(self.after), "platform": dict(self.platform)}
        operations = [operation.as_json() for operation in self.operations]
        write_sealed(path, {"schema": SCHEMA, "format": RUN_FORMAT, **fields, **digests, "operations": operations})

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file. Raises NoMatchError SR-TRACE-001 where there is none, DamageError for what is no whole trace."""
        try:
            data = path.read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            raise NoMatchError(
                "SR-TRACE-001", f"{path} is no trace file", do="samerun trace RUN --step N -o FILE"
            ) from None
        document = unseal(data, str(path))
        check_format(document, SCHEMA, str(path))
        rows = document.get("operations")
        if not isinstance(rows, list):
            raise malformed(str(path), "it lists no operations")
        try:
            fields = {key: document[key] for key in ("run", "identity", "step", "begun", "before", "after", "platform")}
        except KeyError as missing:
            raise malformed(str(path), f"it lacks {missing}") from None
        return cls(**fields, operations=tuple(Operation.from_json(row, str(path)) for row in rows))
