"""Comments that silence a finding: `# samerun: allow[SR121] reason`, on its line or on the line before.

A comment without a reason silences nothing; one that silences nothing is a finding, so that none outlives its cause.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from typing import Final

from samerun.audit.source import Source

MARK: Final = "samerun: allow"
COMMENT: Final = re.compile(r"#\s*samerun:\s*allow(?:\[(?P<codes>[^\]]*)\])?\s*(?P<reason>.*)")
REASON: Final = re.compile(r"\w{2,}")


@dataclass(frozen=True)
class Allowance:
    """One comment: which codes it names, why, where it stands, and the line it speaks of."""

    codes: tuple[str, ...]
    reason: str
    line: int
    column: int
    target: int

    @property
    def has_reason(self) -> bool:
        """Whether it says why, in at least a word."""
        return REASON.search(self.reason) is not None


def allowances(source: Source) -> list[Allowance]:
    """Return every such comment of a file, in order. What only looks like one, inside a text, is none."""
    if "samerun:" not in source.text:
        return []
    found: list[tuple[re.Match[str], tokenize.TokenInfo, bool]] = []
    code_lines: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            match = COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if match:
                found.append((match, token, token.line[: token.start[1]].strip() == ""))
            elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                code_lines.add(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        # The parser has read it, so what is left over is an unfinished last line.
        pass
    return [_allowance(match, token, is_alone, code_lines) for match, token, is_alone in found]


def _allowance(match: re.Match[str], token: tokenize.TokenInfo, is_alone: bool, code_lines: set[int]) -> Allowance:
    line, column = token.start
    after = (number for number in sorted(code_lines) if number > line)
    target = next(after, line) if is_alone else line
    codes = tuple(code.strip() for code in (match["codes"] or "").split(",") if code.strip())
    return Allowance(codes, match["reason"].strip(" -:\t"), line, column + 1, target)
