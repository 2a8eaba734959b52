"""The walk: from tracked objects, the loop's variables and the user's modules to every value that could be state.

Nothing of the user's runs: no property, no `__getattr__`, no `__iter__`, no `repr`. Each object is visited once, by the
first way that leads to it. Roots are roots.py's, what an object holds things.py's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import _lru_cache_wrapper, partial
from itertools import islice
from types import FunctionType, MethodType
from typing import Any

from samerun.record.walked import Leaf
from samerun.run.carried import advice, functions, iterators, things
from samerun.run.carried.frames import is_user_class
from samerun.run.carried.place import Place
from samerun.run.carried.tokens import (
    CONTAINERS,
    MUTABLE,
    Token,
    Unreadable,
    builtin_length,
    data_token,
    items_of,
    plain_token,
)
from samerun.run.carried.usage import Usage, key_name
from samerun.streams.portable import is_generator

DEEPEST = 24
MOST_ITEMS = 2000
"""Items of one container that are looked into; of a longer one the length is noted."""


class Walker:
    """One walk. `leaves` is what it found, `modules` the torch modules by path, `unseen` what it could not look into.

    `reserved` are tracked objects: they are visited as themselves, under their own names.
    """

    def __init__(self, usage: Usage, reserved: Iterable[object] = ()) -> None:
        self.leaves: dict[str, Leaf] = {}
        self.modules: dict[str, Any] = {}
        self.unseen: dict[str, str] = {}
        self._usage = usage
        self._reserved = {id(one) for one in reserved}
        self._seen: set[int] = set()
        self._classes: set[type] = set()
        self._alive: list[object] = []

    def start(self, value: object, place: Place) -> None:
        """Visit a root, also one that is reserved."""
        self._reserved.discard(id(value))
        self.visit(value, place)

    def visit(self, value: object, place: Place) -> None:
        """Note a value, or take it apart."""
        plain = plain_token(value)
        if plain is not None and type(value) not in MUTABLE:
            self.note(place, plain)
            return
        if id(value) in self._reserved or not self.is_new(value):
            return
        if plain is not None:
            self.note(place, plain)
            return
        if place.depth > DEEPEST:
            self.unseen[place.path] = "it is nested too deeply"
            return
        try:
            self._take_apart(value, place)
        except Unreadable as problem:
            self.unseen[place.path] = str(problem)
        except Exception as problem:  # noqa: BLE001 - an odd object must not end the training that is looked at
            self.unseen[place.path] = f"{type(problem).__name__}: {str(problem)[:80]}"

    def _take_apart(self, value: Any, place: Place) -> None:
        kind = type(value)
        if (data := data_token(value)) is not None:
            is_drawn = is_generator(value)
            self.note(place.whole("generator", advice.of_generator(place.name)) if is_drawn else place, data)
        elif issubclass(kind, CONTAINERS):
            self._items(value, place)
            self._attributes(value, place)
        elif kind in (FunctionType, MethodType, partial):
            functions.visit_function(self, value, place)
        elif kind is _lru_cache_wrapper:
            functions.visit_cache(self, value, place)
        elif iterators.is_iterator(value):
            functions.visit_iterator(self, value, place)
        elif issubclass(kind, type):
            self._class(value)
        elif (parts := things.loader_parts(value)) is not None:
            for name, part in parts:
                below = place.attribute(name, "attribute", advice.ITEMS)
                self.visit(part, replace(below, advice_below=advice.ITEMS))
                if things.has_workers(value) and not things.is_ours(part):
                    self.unseen[f"{place.path}.{name}"] = "it lives in worker processes"
        elif things.is_module(value) or not things.is_left_out(value):
            self._object(value, place)

    # -- objects -------------------------------------------------------------------------------------------------------

    def _object(self, value: object, place: Place) -> None:
        is_module = things.is_module(value)
        self._usage.add_class(type(value))
        self._class(type(value))
        if things.is_batch_iterator(value):
            place = place.whole("iterator", advice.ITERATOR)
            wanted = ("_num_yielded", "_rcvd_idx", "_sampler_iter", "_dataset")
            for name, item in things.attributes_of(value):
                if name in wanted:
                    self.visit(item, place.attribute(name, place.kind, place.how_to_save))
            return
        is_apart = not place.is_tracked or (things.is_optimizer(value) and not place.is_saved)
        if is_apart and not place.is_whole and things.is_stateful(value):
            place = place.whole("object", advice.of_object(place.name))
        if is_module:
            self._module(value, place)
        if is_module or things.is_optimizer(value):
            for name, hook in things.hooks_of(value):
                label = f"{place.path} {name}"
                functions.visit_function(self, hook, place.apart(label, "closure", name, advice.CLOSURE), label)
        self._attributes(value, place)

    def _attributes(self, value: object, place: Place) -> None:
        is_module, is_optimizer = things.is_module(value), things.is_optimizer(value)
        skipped: frozenset[str] = things.module_names() if is_module else frozenset()
        if is_optimizer:
            skipped = frozenset(things.HOOKS)
            if place.is_saved:
                skipped |= {"state", "param_groups", "defaults"}
        how = advice.of_attribute(value, is_module=is_module, is_tracked=place.is_tracked)
        for name, item in things.attributes_of(value):
            if name not in skipped:
                self.visit(item, place.attribute(name, "attribute", how))

    def _module(self, module: Any, place: Place) -> None:
        """Visit the registries of a module; parameters and saved buffers of a tracked one are in its state_dict."""
        if not any(place.path.startswith(f"{path}.") for path in self.modules):
            self.modules[place.path] = module
        is_saved = place.is_saved and things.has_plain_state(module)
        for name, parameter in module._parameters.items():
            if parameter is not None:
                where = place.attribute(name, "parameter", advice.of_object(place.name), is_saved=is_saved)
                self._parameter(parameter, where)
        for name, buffer in module._buffers.items():
            if is_saved and name not in module._non_persistent_buffers_set:
                self._skip(buffer)
            else:
                self.visit(buffer, place.attribute(name, "buffer", advice.BUFFER))
        for name, child in module._modules.items():
            self.visit(child, place.attribute(name, "attribute", place.how_to_save, is_saved=is_saved))

    def _parameter(self, parameter: Any, place: Place) -> None:
        if not place.is_saved:
            self.visit(parameter, place)
        self._skip(parameter)
        for hooks in (parameter._backward_hooks, parameter._post_accumulate_grad_hooks):
            for hook in list((hooks or {}).values()):
                label = f"{place.path} gradient hook"
                functions.visit_function(self, hook, place.apart(label, "closure", place.name, advice.CLOSURE), label)

    def _skip(self, value: object) -> None:
        self._seen.add(id(value))

    def _class(self, kind: type) -> None:
        """Visit what a class of the user's holds itself, for all its objects."""
        if kind in self._classes or not is_user_class(kind):
            return
        self._classes.add(kind)
        for name, value in list(vars(kind).items()):
            if name.startswith("__") or type(value) is property:
                continue
            inner = value.__func__ if type(value) in (staticmethod, classmethod) else value
            path = f"{kind.__qualname__}.{name}".replace("<locals>.", "")
            self.visit(inner, Place(f"class attribute {path}", "class attribute", name, advice.CLOSURE))

    # -- containers and classes ------------------------------------------------------------------------------

    def _items(self, value: Any, place: Place) -> None:
        items = list(islice(items_of(value), MOST_ITEMS + 1))
        size = builtin_length(value)
        self.note(place.length(), (str(size), f"{size} items"))
        if size > MOST_ITEMS:
            self.unseen[place.path] = f"of its {size} items the first {MOST_ITEMS} are looked at"
        for number, (key, item) in enumerate(items[:MOST_ITEMS]):
            if type(key) is str:
                self.visit(item, place.item(repr(key), key_name(key)))
            else:
                # An address, or a number that is only good in one process, is no name.
                is_short = type(key) is int and abs(key) < 1 << 32
                self.visit(item, place.item(str(key if is_short else number)))

    def is_new(self, thing: object) -> bool:
        """Say whether a thing is met for the first time, and remember it."""
        if id(thing) in self._seen:
            return False
        self._seen.add(id(thing))
        # Kept until the walk ends: the address of a value that was let go could be another one's.
        self._alive.append(thing)
        return True

    def note(self, place: Place, token: Token) -> None:
        """Note the value at a place."""
        usage = self._usage
        self.leaves.setdefault(
            place.path,
            Leaf(
                kind=place.kind,
                token=token[0],
                shown=token[1],
                owner=place.owner or place.path,
                how_to_save=place.how_to_save,
                is_rebound=place.is_rebound,
                is_updated=not place.is_whole and place.name in usage.updated,
                is_read=place.is_whole or place.name in usage.read,
            ),
        )
