"""What functions and iterators keep from one call to the next: closures, defaults, attributes, caches, positions.

Only the user's are looked into. The walk itself is walker.py's.
"""

from __future__ import annotations

from functools import partial
from types import CellType, FunctionType, GeneratorType, MethodType
from typing import Any, Protocol

from samerun.run.carried import advice, iterators, things
from samerun.run.carried.frames import carried_by, is_user_code
from samerun.run.carried.place import Place
from samerun.run.carried.tokens import Token


class Walk(Protocol):
    """The walk that comes by."""

    def visit(self, value: object, place: Place) -> None:
        """Note a value, or take it apart."""

    def note(self, place: Place, token: Token) -> None:
        """Note the value at a place."""

    def is_new(self, thing: object) -> bool:
        """Say whether a thing is met for the first time, and remember it."""


def visit_function(walk: Walk, value: Any, place: Place, label: str = "") -> None:
    """Visit what a function, a method or a partial keeps: closure, defaults, attributes, the object it is bound to.

    `label` is the name of a hook, which says more than that of the function.
    """
    if type(value) is MethodType:
        walk.visit(value.__self__, place)
        value = value.__func__
    if type(value) is partial:
        for part in (value.func, value.args, value.keywords):
            walk.visit(part, place)
        return
    if type(value) is not FunctionType or not is_user_code(value.__module__ or "", value.__code__.co_filename):
        if type(value) is not FunctionType:
            walk.visit(value, place)
        return
    name = value.__qualname__.replace("<locals>.", "")
    for variable, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
        path = f"closure of {label or name}: {variable}"
        _visit_cell(walk, cell, place.apart(path, "closure", variable, advice.CLOSURE))
    for number, default in enumerate(value.__defaults__ or ()):
        first = value.__code__.co_argcount - len(value.__defaults__ or ())
        _visit_default(walk, name, value.__code__.co_varnames[first + number], default, place)
    for variable, default in (value.__kwdefaults__ or {}).items():
        _visit_default(walk, name, variable, default, place)
    for attribute, item in list(vars(value).items()):
        if attribute != "__wrapped__":
            path = f"attribute of {name}: {attribute}"
            walk.visit(item, place.apart(path, "function attribute", attribute, advice.CLOSURE))
        else:
            walk.visit(item, place)


def _visit_default(walk: Walk, function: str, name: str, value: object, place: Place) -> None:
    walk.visit(value, place.apart(f"default of {function}: {name}", "default", name, advice.CLOSURE))


def _visit_cell(walk: Walk, cell: CellType, place: Place) -> None:
    if not walk.is_new(cell):
        return
    try:
        value = cell.cell_contents
    except ValueError:
        return  # a variable that is not assigned yet
    walk.visit(value, place)


def visit_cache(walk: Walk, value: Any, place: Place) -> None:
    """Note how many results a `functools.lru_cache` holds, and visit its function."""
    function = value.__wrapped__
    if type(function) is not FunctionType or is_user_code(function.__module__ or "", function.__code__.co_filename):
        size = value.cache_info().currsize
        name = getattr(function, "__qualname__", place.name).replace("<locals>.", "")
        where = place.apart(f"cache of {name}", "cache", place.name, advice.CACHE)
        walk.note(where, (str(size), f"{size} results"))
        walk.visit(function, place)


def visit_iterator(walk: Walk, value: Any, place: Place) -> None:
    """Note where an iterator stands, and visit what it goes over; of a generator also the variables it will read."""
    frame = value.gi_frame if type(value) is GeneratorType else None
    if frame is not None and not is_user_code(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        return
    place = place.whole("iterator", advice.ITERATOR)
    position = iterators.position_of(value)
    walk.note(place, (position, position))
    if frame is not None and not value.gi_running:
        live = carried_by(frame).live
        for name, item in list(frame.f_locals.items()):
            if name in live:
                walk.visit(item, place.attribute(name, place.kind, place.how_to_save))
    for number, item in enumerate(iterators.inside(value)):
        if iterators.is_iterator(item) or things.is_batch_iterator(item):
            walk.visit(item, place.inner(f" > {number}"))
        elif type(item) in (FunctionType, MethodType):
            visit_function(walk, item, place)
