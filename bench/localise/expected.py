"""What is written down beforehand of a fault: where it is planted, and what `diff` and `diff --deep` must say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ANY = "*"


@dataclass(frozen=True)
class Op:
    """The operation that must be named. Each field is one or several accepted values, separated by `|`."""

    line: str = ANY
    """Text after `# line:` in the project's files, or the beginning of a source path of our own trainers."""
    why: str = "appears|other"
    name: str = ANY
    module: str = ANY
    """Beginning of the module path, or `-` for none."""
    phase: str = ANY


@dataclass(frozen=True)
class Fault:
    """One planted fault. `a` and `b` are arguments of the two sides: a script's own, or `-s` settings of a recipe."""

    name: str
    what: str
    step: int
    component: str
    kind: str
    op: Op | None
    b: tuple[str, ...] = ()
    a: tuple[str, ...] = ()
    leaf: str = ANY
    subject: str = "loop.py"
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Set for side b, which then runs in a fresh process."""
    edit: tuple[str, str, str] | None = None
    """File, text and its replacement: what is changed before side b is made."""

    @property
    def place(self) -> str:
        """Where it is planted."""
        if self.edit is not None:
            return "a line of user code"
        if self.variables:
            return "environment"
        return "plain loop" if self.subject == "loop.py" else "supervised"


@dataclass(frozen=True)
class Equal:
    """Two ways of making one run: no difference may be told."""

    name: str
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    subject: str = "loop.py"
    how: str = "train"
    """`train`, `stop N ...` (stopped there and resumed), `kill N`, `fresh` (in a process of its own), `elsewhere`."""
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    edit: tuple[str, str, str] | None = None
    settings: tuple[str, ...] = ()
    """`-s` settings and options of side b, beside its own arguments."""
