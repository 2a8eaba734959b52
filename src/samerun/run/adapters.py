"""Generators as tracked objects: state/ knows modules and state_dict, streams/ knows generators; here they meet."""

from __future__ import annotations

from typing import Any

from samerun.streams.portable import generator_state, is_generator, load_generator_state


class GeneratorAdapter:
    """`random.Random`, NumPy generators and bit generators, `torch.Generator`: captured as JSON, never re-seeded."""

    def knows(self, thing: object) -> bool:
        return is_generator(thing)

    def state_of(self, thing: Any) -> object:
        return generator_state(thing)

    def load_into(self, thing: Any, tree: Any) -> None:
        load_generator_state(thing, tree)


ADAPTERS = (GeneratorAdapter(),)
