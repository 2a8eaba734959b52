"""torch's part of the guard: seeding functions and `Generator` are replaced, draws are seen by a function mode.

The mode is in force between steps and in threads only, so that a step's body runs as it always does. torch is touched
only when somebody else has imported it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from samerun.streams import ambient
from samerun.streams.callsite import calling_module
from samerun.streams.replaced import Replaced

if TYPE_CHECKING:
    from samerun.streams.guard import Guard

Standing = Callable[[], "Guard | None"]
_DRAWING = frozenset(
    {"rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "poisson", "binomial"}
    | {"rand_like", "randn_like", "randint_like", "random_", "uniform_", "normal_", "exponential_", "geometric_"}
    | {"log_normal_", "cauchy_", "bernoulli_", "orthogonal_", "sparse_"}
)
"""What is taken for a draw in a thread, where the state may have been moved by another one."""
_SEEDS = ("manual_seed", "seed")
_between: Any = None


def replace(replaced: Replaced, standing: Standing) -> None:
    """Replace what seeds torch's generators, if torch is there; a second time does nothing."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "default_generator") or replaced.holds(torch, "manual_seed"):
        return
    for owner, name, label in _seeding_functions(torch):
        replaced.wrap(owner, name, _seed(label, standing))
    for owner in (torch, torch.random):
        replaced.wrap(owner, "get_rng_state", _get_state(standing))
        replaced.wrap(owner, "set_rng_state", _set_state("torch.set_rng_state", standing))
    replaced.wrap(torch.random, "fork_rng", _fork)
    replaced.wrap(torch, "Generator", lambda original: _generator(original, standing))


def _seeding_functions(torch: Any) -> Iterator[tuple[Any, str, str]]:
    for owner, place in ((torch, "torch"), (torch.random, "torch"), (torch.cuda, "torch.cuda")):
        for name in _SEEDS if owner is not torch.cuda else (*_SEEDS, "manual_seed_all", "seed_all"):
            yield owner, name, f"{place}.{name}"


def _seed(what: str, standing: Standing) -> Callable[[Any], Any]:
    def wrap(original: Any) -> Any:
        @wraps(original)
        def seeding(*args: Any, **kwargs: Any) -> Any:
            guard = standing()
            if guard is not None and not _forks.depth and calling_module() != "torch":
                guard.seeds(what, "torch", args[0] if args else kwargs.get("seed"))
            return original(*args, **kwargs)

        return seeding

    return wrap


def _get_state(standing: Standing) -> Callable[[Any], Any]:
    def wrap(original: Any) -> Any:
        @wraps(original)
        def getting() -> Any:
            state = original()
            guard = standing()
            if guard is not None:
                guard.captured.add(_hash(state))
            return state

        return getting

    return wrap


def _set_state(what: str, standing: Standing) -> Callable[[Any], Any]:
    def wrap(original: Any) -> Any:
        @wraps(original)
        def setting(new_state: Any) -> None:
            guard = standing()
            if guard is not None and not _forks.depth and calling_module() != "torch":
                guard.puts(what, "torch", _hash(new_state))
            original(new_state)

        return setting

    return wrap


def _hash(state: Any) -> int:
    return hash(state.cpu().numpy().tobytes())


class _Forks(threading.local):
    """How many `torch.random.fork_rng` blocks this thread is in: what is seeded there is put back."""

    depth = 0


_forks = _Forks()


def _fork(original: Any) -> Any:
    @wraps(original)
    @contextmanager
    def forking(*args: Any, **kwargs: Any) -> Iterator[None]:
        with original(*args, **kwargs):
            _forks.depth += 1
            try:
                yield
            finally:
                _forks.depth -= 1

    return forking


def _generator(original: Any, standing: Standing) -> Any:
    """Return a class in place of `torch.Generator` whose instances tell of seeds. One made without starts the same
    everywhere, so that alone is nothing to tell.
    """

    class Kind(type(original)):  # type: ignore[misc]
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, original)

    class Generator(original, metaclass=Kind):  # type: ignore[misc]
        def seed(self) -> int:
            if (guard := standing()) is not None:
                guard.made("torch.Generator.seed", None)
            return int(super().seed())

        def manual_seed(self, seed: int) -> Any:
            if (guard := standing()) is not None:
                guard.made("torch.Generator.manual_seed", seed)
            return super().manual_seed(seed)

    Generator.__module__, Generator.__qualname__ = original.__module__, original.__qualname__
    return Generator


@cache
def _mode_class() -> Any:
    from torch.overrides import TorchFunctionMode

    class Draws(TorchFunctionMode):
        """Tells the guard of each call that moves a default generator."""

        def __init__(self, standing: Standing, is_thread: bool) -> None:
            super().__init__()
            self._standing = standing
            self._is_thread = is_thread

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            name, guard = getattr(func, "__name__", str(func)), self._standing()
            if guard is None or not self._is_watched(name, guard, kwargs):
                return func(*args, **kwargs)
            before = _positions()
            result = func(*args, **kwargs)
            if _positions() != before and calling_module() != "samerun":
                guard.drew(f"torch.{name}", "torch")
            return result

        def _is_watched(self, name: str, guard: Guard, kwargs: dict[str, Any]) -> bool:
            if self._is_thread:
                return _draws(name) and kwargs.get("generator") is None
            return guard.is_between and not ambient.is_in_scope()

    return Draws


def _draws(name: str) -> bool:
    return name in _DRAWING or "dropout" in name or name.endswith(("_uniform_", "_normal_"))


def _positions() -> tuple[object, ...]:
    torch: Any = sys.modules["torch"]
    places: list[object] = [torch.default_generator.get_state().numpy().tobytes()]
    if torch.cuda.is_initialized():
        places += [(one.initial_seed(), one.get_offset()) for one in torch.cuda.default_generators]
    return tuple(places)


def watch_between(guard: Guard) -> None:
    """See draws of this thread from now on, until `unwatch`."""
    global _between
    if _between is None and "torch" in sys.modules:
        _between = _mode_class()(lambda: guard, is_thread=False)
        _between.__enter__()


def unwatch() -> None:
    """See no draws of this thread any more. What was entered later stays in force, in its order."""
    global _between
    if _between is None:
        return
    import torch

    bindings: Any = torch._C
    above = []
    while bindings._len_torch_function_stack() and (mode := bindings._pop_torch_function_stack()) is not _between:
        above.append(mode)
    for mode in reversed(above):
        bindings._push_on_torch_function_stack(mode)
    _between = None


def watch_thread(thread: threading.Thread, standing: Standing) -> None:
    """See draws of a thread that is about to start."""
    if "torch" not in sys.modules:
        return
    run = thread.run

    def watched() -> None:
        try:
            with _mode_class()(standing, is_thread=True):
                run()
        finally:
            vars(thread).pop("run", None)

    thread.run = watched  # type: ignore[method-assign]
