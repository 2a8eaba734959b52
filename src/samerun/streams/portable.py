"""The state of generators as JSON, for loops that keep generators of their own across a restart.

Every kind that `run.track` takes: `random.Random`, NumPy's Generator, RandomState and bit generators, torch.Generator.
A state that cannot be put back exactly is an error, never a warning: a swallowed one is how resumes go wrong.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

from samerun.errors import UsageError
from samerun.streams import legacy
from samerun.streams.ambient import Globals, capture, put_back

State = dict[str, Any]


def capture_json() -> State:
    """Return the state of all global generators (ambient.capture) as JSON; `restore_json` takes it."""
    state = capture()
    cells, normal = state.numpy
    return {
        "kind": "globals",
        "python": _python_state(state.python),
        "numpy": {"cells": _pack(cells), "normal": None if normal is None else normal.hex()},
        "torch": None if state.torch is None else _tensor_hex(state.torch),
        "cuda": None if state.cuda is None else [_tensor_hex(device) for device in state.cuda],
        "cuda_seed": None if state.cuda_seed is None else str(state.cuda_seed),
    }


def restore_json(state: State) -> None:
    """Put the global generators back. Raises UsageError (SR-STREAM-008) when torch or a CUDA device is now missing."""
    with _Reading("globals", state):
        torch = sys.modules.get("torch")
        if state["torch"] is not None and torch is None:
            raise ValueError("it holds the state of torch's generator, and torch is not imported here")
        if state["cuda"] is not None and (torch is None or torch.cuda.device_count() != len(state["cuda"])):
            raise ValueError(f"it holds {len(state['cuda'])} CUDA devices; here is another number")
        if state["cuda"] is not None and torch is not None:
            torch.cuda.init()
        normal, seed = state["numpy"]["normal"], state["cuda_seed"]
        put_back(
            Globals(
                python=_python_tuple(state["python"]),
                numpy=(_cells(state["numpy"]["cells"]), None if normal is None else float.fromhex(normal)),
                torch=None if state["torch"] is None else _tensor(state["torch"]),
                cuda=None if state["cuda"] is None else tuple(map(_tensor, state["cuda"])),
                cuda_seed=None if seed is None else int(seed),
            )
        )


def is_generator(value: object) -> bool:
    """Whether `generator_state` knows this kind of object."""
    return _kind(value) is not None


def generator_state(generator: Any) -> State:
    """Return the state of one generator as JSON; the generator stays as it is.

    Raises UsageError (SR-STREAM-008) for an object that is no generator or keeps no state (random.SystemRandom).
    """
    kind = _kind(generator)
    if kind == "python.Random":
        return {"kind": kind, **_python_state(generator.getstate())}
    if kind == "numpy.RandomState":
        return {"kind": kind, "state": _encode(generator.get_state(legacy=False))}
    if kind in ("numpy.Generator", "numpy.BitGenerator"):
        bits = generator.bit_generator if kind == "numpy.Generator" else generator
        return {"kind": kind, "state": _encode(bits.state), "spawned": _spawned(bits)}
    if kind == "torch.Generator":
        return {"kind": kind, "device": generator.device.type, "state": _tensor_hex(generator.get_state())}
    raise UsageError(
        "SR-STREAM-008",
        f"{type(generator).__module__}.{type(generator).__qualname__} is no generator whose state can be kept",
        evidence=["known: random.Random, numpy Generator, RandomState and bit generators, torch.Generator"],
        do="track one of these, or open a stream by name in each step: it needs no state",
    )


def load_generator_state(generator: Any, state: State) -> None:
    """Put a generator in the state that `generator_state` returned, bit for bit.

    Raises UsageError (SR-STREAM-008) when it is of another kind, on another device, or cannot take the state.
    """
    kind = _kind(generator)
    with _Reading(str(kind), state):
        if kind == "python.Random":
            generator.setstate(_python_tuple(state))
        elif kind == "numpy.RandomState":
            generator.set_state(_decode(state["state"]))
        elif kind in ("numpy.Generator", "numpy.BitGenerator"):
            bits = generator.bit_generator if kind == "numpy.Generator" else generator
            bits.state = _decode(state["state"])
            _spawn_again(bits, state["spawned"])
        else:
            if generator.device.type != state["device"]:
                raise ValueError(f"it was on {state['device']}, here it is on {generator.device.type}")
            generator.set_state(_tensor(state["state"]))


class _Reading:
    """Turns whatever is wrong with a stored state into the one error that says so."""

    def __init__(self, kind: str, state: State) -> None:
        self._kind = kind
        if not isinstance(state, dict) or state.get("kind") != kind:
            found = state.get("kind") if isinstance(state, dict) else type(state).__name__
            raise self._error(f"the stored state is of {found!r}")

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, problem: BaseException | None, __: object) -> None:
        if isinstance(problem, (KeyError, ValueError, TypeError, IndexError, OverflowError, RuntimeError)):
            raise self._error(str(problem)) from problem

    def _error(self, why: str) -> UsageError:
        return UsageError(
            "SR-STREAM-008",
            f"the state of a generator cannot be put back ({self._kind})",
            evidence=[why],
            do="make the same kind of generator on the same device as in the run that wrote this state",
        )


def _kind(value: object) -> str | None:
    if isinstance(value, random.Random):
        return None if isinstance(value, random.SystemRandom) else "python.Random"
    if isinstance(value, np.random.RandomState):
        return "numpy.RandomState"
    if isinstance(value, np.random.Generator):
        return "numpy.Generator"
    if isinstance(value, np.random.BitGenerator):
        return "numpy.BitGenerator"
    torch = sys.modules.get("torch")
    return "torch.Generator" if torch is not None and isinstance(value, torch.Generator) else None


def _python_state(state: tuple[Any, ...]) -> State:
    version, words, normal = state
    return {
        "version": version,
        "words": np.array(words[:-1], "<u4").tobytes().hex(),
        "place": words[-1],
        "normal": None if normal is None else float(normal).hex(),
    }


def _python_tuple(state: State) -> tuple[Any, ...]:
    words = np.frombuffer(bytes.fromhex(state["words"]), "<u4").tolist()
    normal = state["normal"]
    return (state["version"], (*words, state["place"]), None if normal is None else float.fromhex(normal))


def _encode(value: Any) -> Any:
    """Return a bit generator's state as JSON: integers as decimal text (they may have 128 bits), arrays as hex."""
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return {"array": _pack(value), "dtype": value.dtype.newbyteorder("<").str}
    if isinstance(value, (float, np.floating)):
        return {"float": float(value).hex()}
    return value if isinstance(value, str) else {"int": str(int(value))}


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.frombuffer(bytes.fromhex(value["array"]), value["dtype"]).astype(value["dtype"][1:])
    if "int" in value:
        return int(value["int"])
    return float.fromhex(value["float"]) if "float" in value else {key: _decode(item) for key, item in value.items()}


def _spawned(bits: Any) -> State | None:
    """Return what decides the children that `spawn` will make, when some were made already."""
    sequence = bits.seed_seq
    if not isinstance(sequence, np.random.SeedSequence) or not sequence.n_children_spawned:
        return None
    words = sequence.generate_state(4, np.uint64)
    return {"children": sequence.n_children_spawned, "seed": words.astype("<u8").tobytes().hex()}


def _spawn_again(bits: Any, stored: State | None) -> None:
    sequence = bits.seed_seq
    now = sequence.n_children_spawned if isinstance(sequence, np.random.SeedSequence) else 0
    wanted = 0 if stored is None else stored["children"]
    if now > wanted:
        raise ValueError(f"it has spawned {now} children here, {wanted} when the state was kept")
    if stored is None:
        return
    if not isinstance(sequence, np.random.SeedSequence):
        raise ValueError("it had spawned children, and here it has no seed sequence")
    if sequence.generate_state(4, np.uint64).astype("<u8").tobytes().hex() != stored["seed"]:
        raise ValueError("it had spawned children, and here it was made from another seed")
    if wanted > now:
        sequence.spawn(wanted - now)


def _pack(array: np.ndarray[Any, Any]) -> str:
    return array.astype(array.dtype.newbyteorder("<")).tobytes().hex()


def _cells(text: str) -> legacy.Cells:
    cells = np.frombuffer(bytes.fromhex(text), "<u4").astype(np.uint32)
    if cells.size != legacy.MT_WORDS + 1 or cells[-1] > legacy.MT_WORDS:
        raise ValueError("NumPy's state is not 624 words and a place")
    return cells


def _tensor_hex(state: Any) -> str:
    return bytes(state.numpy()).hex()


def _tensor(text: str) -> Any:
    torch = sys.modules["torch"]
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)
