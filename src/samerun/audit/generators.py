"""SR101-SR106: global generators that are seeded, generators nobody seeded, and draws in places that no scope of
randomness covers: at import, in a thread, in a data set that says nothing about how it draws."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from samerun.audit.finding import ERROR, WARNING, Hit
from samerun.audit.names import Names, argument, constant, has_unknown_arguments
from samerun.audit.scopes import COMPREHENSIONS

SEEDING: Final = frozenset(
    {"random.seed", "numpy.random.seed", "torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}
    | {"torch.mps.manual_seed", "torch.xpu.manual_seed", "transformers.set_seed", "accelerate.utils.set_seed"}
    | {"lightning.seed_everything", "lightning.pytorch.seed_everything", "pytorch_lightning.seed_everything"}
    | {"lightning_fabric.seed_everything", "lightning.fabric.seed_everything"}
)
ALWAYS_ENTROPY: Final = frozenset(
    {"torch.seed", "torch.cuda.seed", "torch.cuda.seed_all", "random.SystemRandom", "secrets.SystemRandom"}
    | {"secrets.choice", "secrets.randbelow", "secrets.randbits"}
)
MAKERS: Final = frozenset(
    {f"numpy.random.{name}" for name in ("default_rng", "RandomState", "SeedSequence", "Philox", "PCG64", "PCG64DXSM")}
    | {"numpy.random.MT19937", "numpy.random.SFC64", "random.Random", "random.seed", "numpy.random.seed"}
)
"""What asks the operating system where no seed is given."""
TORCH_DRAWS: Final = frozenset(
    f"torch.{name}"
    for name in (
        [
            "rand",
            "randn",
            "randint",
            "randperm",
            "normal",
            "bernoulli",
            "multinomial",
            "poisson",
            "rand_like",
            "randn_like",
            "randint_like",
        ]
    )
)
PYTHON_DRAWS: Final = frozenset(
    f"random.{name}"
    for name in [
        "random",
        "randint",
        "randrange",
        "choice",
        "choices",
        "shuffle",
        "sample",
        "uniform",
        "gauss",
        "normalvariate",
        "triangular",
        "betavariate",
        "expovariate",
        "gammavariate",
        "lognormvariate",
        "vonmisesvariate",
        "paretovariate",
        "weibullvariate",
        "getrandbits",
        "randbytes",
    ]
)
NUMPY_NO_DRAWS: Final = frozenset(["seed", "get_state", "set_state", "Generator", "BitGenerator", "get_bit_generator"])
POOL_METHODS: Final = frozenset({"submit", "map", "imap", "apply_async"})
DATASETS: Final = frozenset({"Dataset", "IterableDataset", "MapDataPipe", "IterDataPipe", "VisionDataset"})


def draws_globally(call: ast.Call, dotted: str | None) -> bool:
    """Say whether a call draws from the global generator of Python, NumPy or torch."""
    if dotted is None:
        return False
    if dotted in TORCH_DRAWS:
        return not has_unknown_arguments(call) and argument(call, None, "generator") is None
    if dotted in PYTHON_DRAWS:
        return True
    name = dotted.removeprefix("numpy.random.")
    return name != dotted and name.isidentifier() and name.islower() and name not in NUMPY_NO_DRAWS | {"default_rng"}


def generators(names: Names) -> Iterator[Hit]:
    """Yield what seeds a global generator or makes one that nobody seeds."""
    for call, dotted in names.calls:
        if dotted is None:
            continue
        if dotted in ALWAYS_ENTROPY or (dotted in MAKERS and is_unseeded(call) and not _is_seeded_later(names, call)):
            yield Hit("SR102", ERROR, call, f"{dotted}() takes its seed from the operating system")
        elif dotted in SEEDING:
            yield Hit("SR101", WARNING, call, f"{dotted}() sets a global generator by hand")
        elif dotted == "torch.Generator":
            yield from _torch_generator(names, call)


def is_unseeded(call: ast.Call) -> bool:
    """Say whether a maker of generators is surely called without a seed."""
    if has_unknown_arguments(call):
        return False
    given = argument(call, 0, "seed", "entropy", "a", "x", "key")
    return given is None or constant(given) is None


def _is_seeded_later(names: Names, call: ast.Call) -> bool:
    methods = _methods_of_variable(names, names.parent(call))
    return methods is not None and bool(methods & {"seed", "setstate", "set_state"})


def _torch_generator(names: Names, call: ast.Call) -> Iterator[Hit]:
    above = names.parent(call)
    methods = {above.attr} if isinstance(above, ast.Attribute) else _methods_of_variable(names, above)
    if methods is None:
        return
    if "seed" in methods and not methods & {"manual_seed", "set_state"}:
        yield Hit("SR102", ERROR, call, "torch.Generator().seed() takes its seed from the operating system")
    elif not methods & {"manual_seed", "set_state", "graphsafe_set_state"}:
        yield Hit("SR103", WARNING, call, "a torch.Generator that nobody seeds always begins with the same constant")


def _methods_of_variable(names: Names, above: ast.AST | None) -> set[str] | None:
    """Which methods are called on the variable that holds it; None where it goes to somebody who may seed it."""
    if isinstance(above, ast.Assign) and len(above.targets) == 1:
        target = above.targets[0]
        if isinstance(target, ast.Name):
            uses = [names.parent(use) for use in names.uses(target)]
            if any(isinstance(use, ast.Return) for use in uses):
                return None
            return {use.attr for use in uses if isinstance(use, ast.Attribute)}
        if isinstance(target, ast.Attribute):
            reads = [names.parent(read) for read in names.attributes.get(target.attr, ())]
            return {read.attr for read in reads if isinstance(read, ast.Attribute)}
    if isinstance(above, ast.keyword):
        return set()
    return None


def early_draws(names: Names) -> Iterator[Hit]:
    """Yield draws from a global generator that happen at import: before any run has set it."""
    for call, dotted in names.calls:
        if not draws_globally(call, dotted) or names.function(call) is not None or _is_covered(names, call):
            continue
        yield Hit("SR104", ERROR, call, f"{dotted}() draws from a global generator when the file is imported")


def _is_covered(names: Names, call: ast.Call) -> bool:
    """Say whether a draw at module level belongs to a program: under a main guard, in a run, or after seeding."""
    for above in names.around(call):
        if isinstance(above, ast.If) and "__name__" in ast.unparse(above.test):
            return True
        if isinstance(above, ast.With) and any(isinstance(item.context_expr, ast.Call) for item in above.items):
            return True
    owner = _owner(names.dotted(call.func))
    return any(
        (dotted in SEEDING or dotted == "samerun.start")
        and _owner(dotted) in (owner, None)
        and one.lineno < call.lineno
        and names.function(one) is None
        for one, dotted in names.calls
    )


def _owner(dotted: str | None) -> str | None:
    """Say whose global generator a call seeds or draws from; None where it is that of all."""
    root = (dotted or "").partition(".")[0]
    return root if root in ("random", "numpy", "torch") else None


def thread_draws(names: Names) -> Iterator[Hit]:
    """Yield draws from a global generator in a function of this file that a thread runs."""
    threaded = set(thread_functions(names))
    for call, dotted in names.calls:
        if draws_globally(call, dotted) and names.function(call) in threaded:
            yield Hit("SR105", ERROR, call, f"{dotted}() draws from a global generator in a thread")


def thread_functions(names: Names, *, several: bool = False) -> Iterator[ast.AST]:
    """Yield the functions of a file that are handed to a thread or a pool of threads; `several`: to more than one."""
    for call, dotted in names.calls:
        given: ast.expr | None = None
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if dotted in ("threading.Thread", "threading.Timer"):
            given = argument(call, 1, "target", "function")
        elif isinstance(call.func, ast.Attribute) and method in POOL_METHODS:
            given = call.args[0] if call.args and _is_thread_pool(names, call.func.value) else None
        if several and method not in ("map", "imap") and not _is_repeated(names, call):
            continue
        if isinstance(given, ast.Lambda):
            yield given
        elif isinstance(given, ast.Name):
            yield from (one.node for one in names.bindings(given) or () if isinstance(one.node, ast.FunctionDef))
        elif isinstance(given, ast.Attribute):
            owner = names.class_of(given)
            methods = owner.body if owner is not None else []
            yield from (one for one in methods if isinstance(one, ast.FunctionDef) and one.name == given.attr)


def _is_repeated(names: Names, call: ast.Call) -> bool:
    function = names.function(call)
    for above in names.around(call):
        if above is function:
            return False
        if isinstance(above, (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS)):
            return True
    return False


def _is_thread_pool(names: Names, holder: ast.expr) -> bool:
    pools = ("concurrent.futures.ThreadPoolExecutor", "multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool")
    if isinstance(holder, ast.Call):
        return names.dotted(holder.func) in pools
    if not isinstance(holder, ast.Name):
        return False
    for one in names.bindings(holder) or ():
        maker: ast.AST | None = one.value
        above = names.parent(one.node)
        if isinstance(above, ast.withitem):
            maker = above.context_expr
        if isinstance(maker, ast.Call) and names.dotted(maker.func) in pools:
            return True
    return False


def item_draws(names: Names) -> Iterator[Hit]:
    """Yield draws from a global generator in a data set that does not say how it draws."""
    for call, dotted in names.calls:
        function = names.function(call)
        if not draws_globally(call, dotted) or not isinstance(function, ast.FunctionDef):
            continue
        owner = names.parent(function)
        if function.name not in ("__getitem__", "__getitems__", "__iter__") or not isinstance(owner, ast.ClassDef):
            continue
        if any(_is_dataset(names, base) for base in owner.bases) and not _says_how(owner):
            what = f"{dotted}() draws from a global generator in {owner.name}.{function.name}"
            yield Hit("SR106", WARNING, call, what)


def _is_dataset(names: Names, base: ast.expr) -> bool:
    inner = base.value if isinstance(base, ast.Subscript) else base
    return (names.dotted(inner) or "").rpartition(".")[2] in DATASETS


def _says_how(owner: ast.ClassDef) -> bool:
    for node in ast.walk(owner):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name == "draws" and isinstance(getattr(node, "ctx", None), ast.Store):
            return True
    return False
