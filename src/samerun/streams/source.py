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
        self._user_heads: dict[str, Head] = {}

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
        return _open_user(self._user_head(_user_template(parts, prefix), self._opened), parts, prefix, keywords)

    def _user_head(self, template: str, opened: set[bytes] | None) -> Head:
        head = self._user_heads.get(template)
        if head is None:
            head = self._user_heads[template] = Head(keyed_hash(self.seed), b"", template, self.ledger, opened)
        return head

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
        self._heads: dict[str, Head] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return (Streams, (self.seed,))

    def stream(self, *parts: Part, **keywords: Part) -> Stream:
        """Open the stream of this name; parts are text and integers, keywords follow as (name, value) by name."""
        template = _user_template(parts, ())
        head = self._heads.get(template)
        if head is None:
            head = Head(keyed_hash(self.seed), b"", template, Ledger(watches=False), None)
            self._heads[template] = head
        return _open_user(head, parts, (), keywords)


def _open_user(head: Head, parts: tuple[Part, ...], prefix: tuple[Part, ...], keywords: Mapping[str, Part]) -> Stream:
    if not parts and not keywords:
        raise UsageError("SR-STREAM-004", "a stream needs a name", do="name it: stream('augment', epoch=3)")
    rest = encode_name((*prefix, "user", *with_keywords(parts, keywords)))
    head.claim(rest)
    return Stream(head, rest)


def _user_template(parts: tuple[Part, ...], prefix: tuple[Part, ...]) -> str:
    """Return what the ledger counts a user's stream by: its form, and the first part when that is text."""
    form = "user/..."
    if prefix:
        known = USER_PREFIXES.get(str(prefix[0]))
        if known is None or len(known.text.split("/")) != len(prefix) + 2:
            raise UsageError(
                "SR-STREAM-001",
                f"{prefix!r} is no prefix of a user's stream",
                evidence=[did_you_mean(str(prefix[0]), USER_PREFIXES)],
                do="`samerun streams` lists the forms",
            )
        form = known.text
    if not parts or not isinstance(parts[0], str):
        return form
    return form[: -len("...")] + parts[0] + ("" if len(parts) == 1 else "/...")
