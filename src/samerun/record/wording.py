"""Secrets in text that is no parsed Python: a comment, a docstring, a document, source in another language.

The rule for texts takes the word after `api_key =` for the key. Here a word that only names where the value comes from
(`os.environ[...]`, `get_token(request)`, `config.api_key`) is none; in a file of settings every word is a value.
"""

from __future__ import annotations

import keyword
import re
from pathlib import PurePosixPath
from typing import Final

from samerun.base.redact import is_secret_text
from samerun.base.secret_keys import is_secret_key
from samerun.base.secret_text import Span, secret_spans

_SETTINGS: Final = frozenset(
    {".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".tfvars", ".json", ".jsonl", ".env", ".xml"}
)
_CODE: Final = frozenset(
    {".py", ".pyi", ".pyw", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".c", ".h", ".cc", ".cpp", ".cu", ".cuh", ".hpp"}
    | {".go", ".rs", ".java", ".kt", ".scala", ".jl", ".r", ".rb", ".swift", ".cs", ".lua"}
)
_QUOTES: Final = ("'", '"', "`")
_CALL: Final = re.compile(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,8}[(\[]")
_COMPREHENSION: Final = re.compile(r"[\[({]\s{0,9}[A-Za-z_]\w{0,60} for [A-Za-z_]")
_DOTTED: Final = re.compile(r"[A-Za-z_]{1,60}(?:\.[A-Za-z_]{1,60}){1,8}")
_PLAIN: Final = re.compile(r"[A-Za-z_]{1,60}")
_END: Final = re.compile(r"(?:\\[nrt]|[;,:.)\]}`])+\Z")
_WORDS: Final = frozenset(
    {*keyword.kwlist, "new", "self", "this", "typeof", "function", "str", "bytes", "string", "optional", ""}
)
_FIRST: Final = 200


def word_spans(label: str, text: str) -> list[Span]:
    """Return where secrets stand in the text of a file; `label` says by its ending whether words are values there."""
    spans = secret_spans(text)
    suffix = PurePosixPath(label).suffix.lower()
    if not spans or suffix in _SETTINGS:
        return spans
    return [span for span in spans if not _is_expression(text, *span, is_code=suffix in _CODE)]


def holds_secret(text: str) -> bool:
    """Whether a secret stands in a text inside of a source file: a string, a comment."""
    return bool(word_spans("", text))


def _is_expression(text: str, start: int, end: int, is_code: bool) -> bool:
    if end - start > _FIRST or text[start - 1 : start] in _QUOTES:
        return False
    found = _END.sub("", text[start:end])
    if is_secret_text(found) or is_secret_text(text[start:end]):
        return False  # by its own shape
    if _CALL.match(text, start, end + 1) or _COMPREHENSION.match(text, start):
        return True
    if found.lstrip("([{") in _WORDS:
        return True
    if _DOTTED.fullmatch(found):
        return is_code or is_secret_key(found.rpartition(".")[2])
    return _PLAIN.fullmatch(found) is not None and found in text[max(0, start - len(found) - 12) : start]
