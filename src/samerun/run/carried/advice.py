"""How each kind of state is saved: the last words of a finding."""

from __future__ import annotations

from typing import Final

from samerun.state.leaves import type_name

CLOSURE: Final = "keep it in run.values, or in an object that is tracked"
BUFFER: Final = "register the buffer with persistent=True"
ITERATOR: Final = "iterate over run.loader(...), or track an object that knows the position"
ITEMS: Final = "make each item a function of its index and of its own stream (draws=...), not of what was read before"
CACHE: Final = "nothing, if the function depends on its arguments alone; else keep its results in a tracked object"


def of_local(name: str) -> str:
    """Advise on a variable of the loop."""
    return f"run.values[{name!r}]"


def of_object(name: str) -> str:
    """Advise on an object with state_dict that nobody tracks."""
    return f"run.track({name if name.isidentifier() else 'name'}=...)"


def of_gradients(name: str) -> str:
    """Advise on gradients that a later step adds to or updates from."""
    return f"run.track(gradients={name})"


def of_attribute(owner: object, *, is_module: bool, is_tracked: bool) -> str:
    """Advise on an attribute of an object."""
    kind = type_name(owner).rpartition(".")[2]
    if is_module:
        return "register it as a buffer, or return it from get_extra_state"
    if is_tracked:
        return f"return it from state_dict of {kind}, and take it back in load_state_dict"
    return f"give {kind} state_dict and load_state_dict, and run.track(...) it"


def of_generator(name: str) -> str:
    """Advise on a generator that outlives a step."""
    return f"run.track({name if name.isidentifier() else 'name'}=...), or draw from step.stream(...)"
