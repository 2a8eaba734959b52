"""Only streams/ makes or sets generators, and nothing else draws from a global one (DESIGN 5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from codebase import Module, planted

STREAMS = "src/samerun/streams/"
TORCH_DRAWS = frozenset(
    f"torch.{name}"
    for name in [
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
DRAWING_METHODS = frozenset({"uniform_", "normal_", "random_", "bernoulli_", "exponential_", "geometric_", "cauchy_"})
MAKERS = ("random.", "numpy.random.", "torch.random.", "secrets.", "torch.nn.init.")
SINGLE = frozenset(
    {"torch.manual_seed", "torch.seed", "torch.initial_seed", "torch.Generator"}
    | {"torch.set_rng_state", "torch.get_rng_state"}
    | {"torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.cuda.seed", "torch.cuda.seed_all"}
    | {"torch.cuda.set_rng_state", "torch.cuda.get_rng_state", "os.urandom", "uuid.uuid4", "uuid.uuid1"}
)


def draws(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if module.path.startswith(STREAMS):
            continue
        for call in module.calls():
            name = module.resolve(call.func) or (call.func.id if isinstance(call.func, ast.Name) else "")
            has_generator = any(keyword.arg == "generator" for keyword in call.keywords)
            method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            makes = name in SINGLE or name == "hash" or name.startswith(MAKERS)
            if makes or (not has_generator and (name in TORCH_DRAWS or method in DRAWING_METHODS)):
                yield f"{module.path}:{call.lineno} {name or method}"


def test_only_streams_makes_generators_and_nothing_draws_globally(modules: list[Module]) -> None:
    assert list(draws(modules)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import random\nrandom.random()",
        "import random\nrandom.Random(3)",
        "from random import shuffle\nshuffle([])",
        "import numpy as np\nnp.random.seed(1)",
        "import numpy as np\nnp.random.default_rng(3)",
        "def f():\n    import torch\n    torch.manual_seed(3)",
        "import torch\ntorch.Generator()",
        "import torch\ntorch.randn(3)",
        "def f(weight):\n    weight.uniform_(-1, 1)",
        "import torch\ndef f(weight):\n    torch.nn.init.xavier_uniform_(weight)",
        "hash('name')",
        "import os\nos.urandom(8)",
    ],
)
def test_a_generator_made_or_drawn_from_elsewhere_is_found(text: str) -> None:
    assert list(draws([planted(text)])) != []


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ndef f(g):\n    return torch.rand(3, generator=g)",
        "import torch\ndef f(g: torch.Generator): ...",
        "import numpy as np\ndef f(g):\n    return isinstance(g, np.random.Generator)",
        "def f(stream):\n    return stream.uniform(3)",
    ],
)
def test_a_draw_from_a_stream_passes(text: str) -> None:
    assert list(draws([planted(text)])) == []
