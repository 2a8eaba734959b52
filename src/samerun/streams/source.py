"""Where streams are opened: `StreamSource` for a run, by template or by a user's name, and `Streams` without a run.

The same seed gives the same user streams in both. Misspelt templates and second openings within a step are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samerun.base.text import did_you_mean
from samerun.errors import UsageError
from samerun.streams.derive import check_seed, keyed_hash
from samerun.streams.ledger import Ledger
from samerun.streams.named import Head, Stream
from samerun.streams.path import Part, encode_name, encode_part, with_keywords
from samerun.streams.registry import BY_TEXT, USER_PREFIXES, Template


class _Form:
    """A template ready to be filled: the head with the constant prefix, then (value's name, the bytes after it)."""

    __slots__ = ("head", "holes", "template")

    def __init__(self, template: Template, seed: int, ledger: Ledger, opened: set[bytes]) -> None:
        prefix, holes = b"", []
        for piece in template.text.split("/"):
            if piece.startswith("{"):
                holes.append((piece[1:-1], b""))
            elif holes:
                holes[-1] = (holes[-1][0], holes[-1][1] + encode_part(piece))
            else:
                prefix += encode_part(piece)
        self.template = template
        self.holes = tuple(holes)
        self.head = Head(keyed_hash(seed, prefix), prefix, template.text, ledger, None if template.is_pure else opened)

    def fill(self, values: Mapping[str, Part]) -> bytes:
        if len(values) != len(self.holes):
            raise self._wrong(values)
        rest = b""
        for name, after in self.holes:
            if name not in values:
                raise self._wrong(values)
            rest += encode_part(values[name]) + after
        return rest

    def _wrong(self, values: Mapping[str, Part]) -> UsageError:
        wanted = ", ".join(name for name, _ in self.holes) or "none"
        return UsageError(
            "SR-STREAM-003",
            f"the template {self.template.text} was opened with the wrong values",
            evidence=[f"wanted: {wanted}", f"given: {', '.join(sorted(values)) or 'none'}"],
            do="give each value in the template by its name",
        )


class StreamSource:
    """All streams of one run. Not shared between processes: a worker makes its own from the seed."""

    def __init__(self, seed: int) -> None:
        self.seed = check_seed(seed)
        self.ledger = Ledger()
        self._opened: set[bytes] = set()
        self._forms: dict[str, _Form] = {}
        self._user = _UserNames(self.seed, self.ledger, self._opened)

    def __reduce__(self) -> tuple[Any, ...]:
        return (StreamSource, (self.seed,))

    def open(self, template: str, /, **values: Part) -> Stream:
        """Open one of samerun's own streams (registry.py), such as `open("data/order/epoch/{epoch}", epoch=3)`.

        Raises UsageError: SR-STREAM-001 for a template that is not registered, SR-STREAM-003 for missing or unknown
        values, SR-STREAM-002 for a second opening in a step of a stream that is not pure.
        """
        form = self._forms.get(template) or self._prepare(template)
        rest = form.fill(values)
        if form.head.opened is not None:
            form.head.claim(rest)
        return Stream(form.head, rest)

    def _prepare(self, text: str) -> _Form:
        template = BY_TEXT.get(text)
        if template is None or template.is_user:
            built_in = [known.text for known in BY_TEXT.values() if not known.is_user]
            raise UsageError(
                "SR-STREAM-001",
                f"there is no stream template {text!r}",
                evidence=[did_you_mean(text, built_in)],
                do="`samerun streams` lists all templates; a stream of your own is opened by run.stream(...)",
            )
        form = self._forms[text] = _Form(template, self.seed, self.ledger, self._opened)
        return form

    def user(self, *parts: Part, prefix: tuple[Part, ...] = (), **keywords: Part) -> Stream:
        """Open a user's own stream: `prefix`, then "user", then the parts, then each keyword as (name, value) by name.

        `prefix` is () for the whole run, or ("step", i), ("epoch", e), ("evaluation", name, i), ("scope", name, i).
        Raises UsageError: SR-STREAM-002 for a second opening within a step, SR-STREAM-004 for a part that cannot be.
        """
        return self._user.open(prefix, parts, keywords)

    def begin_step(self) -> None:
        """Forget which names are open: from here on each may be opened once more."""
        self._opened.clear()

    def counts(self) -> dict[str, int]:
        """Return what was handed out since this source was made, by template."""
        return self.ledger.totals()

    def take_counts(self) -> dict[str, int]:
        """Return what was handed out since the last call, by template: one row of the ledger."""
        return self.ledger.take()

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Add the counts that a worker sent with its batch."""
        self.ledger.add(counts)


class Streams:
    """Named randomness alone, without a run: `Streams(7).stream("order", epoch=3).permutation(1000)`.

    The numbers are those of `run.stream` in a run with the same seed. A name may be opened any number of times and
    starts from its first number each time.
    """

    def __init__(self, seed: int) -> None:
        self.seed = check_seed(seed)
        self._user = _UserNames(self.seed, Ledger(watches=False), None)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Streams, (self.seed,))

    def stream(self, *parts: Part, **keywords: Part) -> Stream:
        """Open the stream of this name; parts are text and integers, keywords follow as (name, value) by name."""
        return self._user.open((), parts, keywords)


class _UserNames:
    """Opens users' own streams; the hash of what a name begins with is kept, since loops open the same ones again."""

    def __init__(self, seed: int, ledger: Ledger, opened: set[bytes] | None) -> None:
        self._seed = seed
        self._ledger = ledger
        self._opened = opened
        self._heads: dict[tuple[Part | None, int, Part | None, bool], Head] = {}

    def open(self, prefix: tuple[Part, ...], parts: tuple[Part, ...], keywords: Mapping[str, Part]) -> Stream:
        first = parts[0] if parts and type(parts[0]) is str else None
        form = (prefix[0] if prefix else None, len(prefix), first, len(parts) > 1 or bool(keywords))
        head = self._heads.get(form)
        if head is None:
            head = self._heads[form] = self._make_head(prefix, parts, first, form[3])
        if prefix:
            rest = encode_name((*prefix[1:], "user", *parts))
        else:
            rest = encode_name(parts if first is None else parts[1:])
        if keywords:
            rest += encode_name(with_keywords((), keywords))
        if head.opened is not None:
            head.claim(rest)
        return Stream(head, rest)

    def _make_head(self, prefix: tuple[Part, ...], parts: tuple[Part, ...], first: str | None, has_more: bool) -> Head:
        if not parts and not has_more:
            raise UsageError("SR-STREAM-004", "a stream needs a name", do="name it: stream('augment', epoch=3)")
        form = _form_of_prefix(prefix) if prefix else "user/..."
        # The ledger counts by the form and the first part, where that is text.
        template = form if first is None else form[: -len("...")] + first + ("/..." if has_more else "")
        start = encode_part(prefix[0]) if prefix else encode_name(("user",) if first is None else ("user", first))
        return Head(keyed_hash(self._seed, start), start, template, self._ledger, self._opened)


def _form_of_prefix(prefix: tuple[Part, ...]) -> str:
    known = USER_PREFIXES.get(prefix[0]) if isinstance(prefix[0], str) else None
    if known is None or len(known.text.split("/")) != len(prefix) + 2:
        raise UsageError(
            "SR-STREAM-001",
            f"{prefix!r} is no prefix of a user's stream",
            evidence=[did_you_mean(str(prefix[0]), USER_PREFIXES)],
            do="`samerun streams` lists the forms",
        )
    return known.text
