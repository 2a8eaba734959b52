"""SR130-SR132: torch loaders whose order or workers nobody seeds, and files that run code when they are loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, WARNING, Grade, Hit
from samerun.audit.names import Names, argument, constant, has_unknown_arguments

LOADER: Final = "torch.utils.data.DataLoader"
POSITIONS: Final = {"shuffle": 2, "sampler": 3, "num_workers": 5, "worker_init_fn": 10}
SAMPLERS: Final = {
    "torch.utils.data.RandomSampler": 3,
    "torch.utils.data.sampler.RandomSampler": 3,
    "torch.utils.data.SubsetRandomSampler": 1,
    "torch.utils.data.WeightedRandomSampler": 3,
    "torch.utils.data.random_split": 2,
}
"""What else draws an order -> the position of its generator."""
UNPICKLERS: Final = frozenset(
    {f"{package}.{name}" for package in ("pickle", "dill", "cloudpickle") for name in ("load", "loads", "Unpickler")}
    | {"joblib.load", "shelve.open", "pandas.read_pickle", "marshal.load", "marshal.loads", "_pickle.loads"}
    | {"_pickle.load", "torch.hub.load", "cPickle.load", "cPickle.loads"}
)


def loaders(names: Names) -> Iterator[Hit]:
    """Yield torch loaders and samplers that take their randomness from the global generator."""
    for call, dotted in names.calls:
        if has_unknown_arguments(call):
            continue
        if dotted == LOADER:
            yield from _loader(call)
        elif dotted in SAMPLERS and _is_absent(argument(call, SAMPLERS[dotted], "generator")):
            yield Hit("SR130", WARNING, call, f"{dotted.rpartition('.')[2]} draws from torch's global generator")


def _loader(call: ast.Call) -> Iterator[Hit]:
    def given(name: str) -> ast.expr | None:
        return argument(call, POSITIONS.get(name), name)

    if constant(given("shuffle")) is True and _is_absent(given("generator")):
        yield Hit("SR130", WARNING, call, "DataLoader(shuffle=True) draws its order from torch's global generator")
    workers = given("num_workers")
    has_workers = workers is not None and constant(workers) != 0
    if has_workers and _is_absent(given("worker_init_fn")) and _is_absent(given("generator")):
        yield Hit("SR131", WARNING, call, "what a worker draws depends on how many workers there are")


def _is_round_trip(names: Names, call: ast.Call) -> bool:
    """`loads(dumps(x))` is a way to copy: nothing comes from a file."""
    given = call.args[0] if call.args else None
    values = [one.value for one in names.bindings(given) or ()] if isinstance(given, ast.Name) else [given]
    makers = [
        value.func.attr if isinstance(value.func, ast.Attribute) else ""
        for value in values
        if isinstance(value, ast.Call)
    ]
    return bool(makers) and all(name == "dumps" for name in makers)


def _is_absent(node: ast.expr | None) -> bool:
    return node is None or constant(node) is None


def pickles(names: Names) -> Iterator[Hit]:
    """Yield what can run code that stands in a file."""
    for call, dotted in names.calls:
        if dotted == "torch.load":
            only_weights = constant(argument(call, None, "weights_only"))
            if only_weights is not True and not has_unknown_arguments(call):
                grade: Grade = ERROR if only_weights is False else WARNING
                yield Hit("SR132", grade, call, "torch.load() without weights_only=True may run code from the file")
        elif dotted == "numpy.load":
            if constant(argument(call, 2, "allow_pickle")) is True:
                yield Hit("SR132", ERROR, call, "numpy.load(allow_pickle=True) runs code from the file")
        elif dotted in UNPICKLERS and not _is_round_trip(names, call):
            yield Hit("SR132", ERROR, call, f"{dotted}() runs code from what it loads")
