"""Secrets are found by the name beside them, by their well-known shape, and by entropy next to a telling name.

Nothing that looks like a secret may reach a file of a run. Numbers of tokens, token embeddings and attention keys are
no secrets: names are judged word by word (`num_memory_tokens`, `tokenizer`, `key_padding_mask` stay).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

REDACTED = "[redacted]"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRONG = _words(
    "password passwords passwd pwd passphrase passphrases secret secrets credential credentials creds apikey apikeys "
    "authorization cookie cookies"
)
_STRONG_ENDINGS = ("password", "passwd", "apikey", "secretkey", "accesskey", "privatekey", "authtoken", "accesstoken")
_STRONG_PAIRS = frozenset(
    (first, second)
    for first, seconds in {
        "api": "key keys token tokens secret",
        "access": "key keys token tokens",
        "private": "key keys token tokens",
        "secret": "key keys",
        "auth": "token tokens key header",
        "basic": "auth",
        "bearer": "token tokens",
        "refresh": "token tokens",
        "session": "token tokens key cookie",
        "signing": "key keys",
        "encryption": "key keys",
        "ssh": "key keys",
        "deploy": "key keys token",
        "connection": "string",
        "webhook": "url secret",
    }.items()
    for second in seconds.split()
)
_PROVIDERS = _words(
    "anthropic aws azure bot cohere comet csrf gcp gh github gitlab google gemini groq hf hub huggingface jwt kaggle "
    "login mistral mlflow modal neptune ngc npm nvidia oauth openai personal pypi replicate security sentry service "
    "slack stripe telegram twilio wandb account storage license"
)
# What follows the secret word and makes it a fact about a secret, not the secret.
_HARMLESS_TAILS = _words(
    "count counts size len length num number index idx dim dims mask embedding embeddings path file dir type kind name "
    "names ttl timeout seconds format enabled required rate ratio weight env variable policy manager loader"
)
_COUNTING = _words("num n max min total mean avg")
_TELLING = _words("key keys token tokens auth sig signature cred pass bearer session")
_HARMLESS_VALUE = re.compile(r"(env|file):\S+|\[redacted\]|[<\[][^\s]{1,40}[>\]]|(sha256|xxh3|blake2b|md5):[0-9a-f]+")
_PATH_LIKE = re.compile(r"(~|\.{1,2})?/|.*\.[A-Za-z][A-Za-z0-9]{0,5}$")

# Each: a word boundary on the left, then the shape its issuer documents.
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?P<loose>(?:hf_|api_org_|sk-|sk_live_|sk_test_|rk_live_|pk_live_|gh[pousr]_|github_pat_|glpat-|npm_|pypi-|r8_"
    r"|nvapi-|gsk_|dop_v1_|xai-|pplx-|lsv2_|shpat_|dckr_pat_)[A-Za-z0-9_\-]{16,})"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])"
    r"|xox[abeoprs]-[A-Za-z0-9\-]{10,}"
    r"|AIza[0-9A-Za-z_\-]{30,}"
    r"|ya29\.[0-9A-Za-z_\-]{20,}"
    r"|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"
    r"|eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?"
    r")"
)
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|\Z)", re.DOTALL)
_HEADER = re.compile(r"(?i)(?<![a-z])(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/\-]{12,}=*)")
_USERINFO = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]{0,30}://)(?P<userinfo>[^\s/?#'\"<>]{1,400})@")
_QUERY = re.compile(r"[?&;](?P<key>[A-Za-z0-9_.\-]+)=(?P<value>[^&\s'\"#<>]+)")
_ASSIGNMENT = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<key>[A-Za-z][A-Za-z0-9_.\-]{1,99})['\"]?\s{0,9}(?P<sign>[=:])\s{0,9}['\"]?(?P<value>[^\s'\",;&]{4,})"
)
_OPTION = re.compile(r"(?<!\S)--?(?P<key>[A-Za-z][A-Za-z0-9_.\-]{1,60})\s+['\"]?(?P<value>[^\s'\"\-][^\s'\"]{3,})")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")


def is_secret_key(key: str) -> bool:
    """Whether a value under this name is a secret: snake, kebab, camel and upper case names, judged word by word."""
    words = [word.lower() for word in _WORD.findall(key)]
    if not words or words[-1] in _HARMLESS_TAILS:
        return False
    if any(word in _STRONG or word.endswith(_STRONG_ENDINGS) for word in words):
        return True
    if not _COUNTING.isdisjoint(words):
        return False
    if any(pair in _STRONG_PAIRS for pair in pairwise(words)):
        return True
    if words in (["token"], ["auth"]):
        return True
    return words[-1] in ("token", "key") and any(word in _PROVIDERS for word in words[:-1])


def is_secret_variable(name: str) -> bool:
    """Whether an environment variable of this name holds a secret: `..._TOKEN` is no vocabulary there."""
    words = [word.lower() for word in _WORD.findall(name)]
    return is_secret_key(name) or words[-1:] in (["token"], ["key"], ["auth"])


def is_secret_text(text: str) -> bool:
    """Whether a text holds a secret by its shape alone: known tokens, private keys, URL credentials, `password=...`."""
    return next(_spans(text), None) is not None


def redact_text(text: str) -> str:
    """Return the text with each secret in it replaced by "[redacted]"; the rest stays readable."""
    pieces, at = [], 0
    for start, end in _merged(_spans(text)):
        pieces += [text[at:start], REDACTED]
        at = end
    return "".join([*pieces, text[at:]])


def redact(tree: Any) -> tuple[Any, list[str]]:
    """Return a copy of a tree of dicts, lists and tuples without secrets, and the paths (`a.b[0]`) that were changed.

    Under a secret name every text and number goes; elsewhere only what is a secret by shape, or by entropy beside a
    telling name. In a command line (`["--api-key", "..."]`) the word after an option counts as standing under its name.
    References (`env:NAME`, `file:PATH`) stay.
    """
    found: list[str] = []
    return _redact(tree, "", None, found), found


def _redact(node: Any, path: str, key: str | None, found: list[str]) -> Any:
    if isinstance(node, dict):
        return {
            _redact_key(name, path, found): _redact(item, f"{path}.{name}".lstrip("."), _inherit(key, name), found)
            for name, item in node.items()
        }
    if isinstance(node, (list, tuple)):
        items = [_redact(item, f"{path}[{at}]", _option(node, at) or key, found) for at, item in enumerate(node)]
        return items if isinstance(node, list) else tuple(items)
    clean = _redact_leaf(node, key)
    if clean is not node:
        found.append(path or "$")
    return clean


def _redact_key(name: Any, path: str, found: list[str]) -> Any:
    if not isinstance(name, str) or not is_secret_text(name):
        return name
    found.append(f"{path}.{REDACTED}".lstrip("."))
    return redact_text(name)


def _inherit(key: str | None, name: Any) -> str | None:
    # What lies below a secret name is secret, whatever it is called itself.
    if key is not None and is_secret_key(key):
        return key
    return name if isinstance(name, str) else None


def _option(items: Any, at: int) -> str | None:
    before = items[at - 1] if at else None
    if isinstance(before, str) and before.startswith("-") and "=" not in before:
        return before.lstrip("-")
    return None


def _redact_leaf(value: Any, key: str | None) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return REDACTED if key is not None and is_secret_key(key) and _is_strong(key) else value
    if not isinstance(value, str) or not value:
        return value
    if (
        key is not None
        and not _HARMLESS_VALUE.fullmatch(value)
        and (is_secret_key(key) or _is_random_beside(key, value))
    ):
        return REDACTED
    clean = redact_text(value)
    return value if clean == value else clean


def _is_strong(key: str) -> bool:
    # A number may be a password; `auth_token: 3` is a count or an id of a vocabulary.
    return not any(word.lower() in ("token", "tokens") for word in _WORD.findall(key))


def _is_random_beside(key: str, value: str) -> bool:
    words = [word.lower() for word in _WORD.findall(key)]
    if not any(word in _TELLING for word in words) or words[-1] in _HARMLESS_TAILS:
        return False
    return len(value) >= 16 and not _PATH_LIKE.match(value) and _is_random(value)


def _is_random(text: str) -> bool:
    """Whether a text of one word has letters and digits and at least 3 bits of entropy a character (Shannon)."""
    if any(letter.isspace() for letter in text) or not any(letter.isdigit() for letter in text):
        return False
    if not any(letter.isalpha() for letter in text):
        return False
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) >= 3.0


def _looks_issued(token: str) -> bool:
    # `sk-learn-digits-classification-2` is a name: an issued token has a long run with digits or with both cases.
    return any(
        any(letter.isdigit() for letter in run) or (not run.islower() and not run.isupper())
        for run in _RUN.findall(token)
    )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _PEM.finditer(text):
        yield match.span()
    for match in _SHAPES.finditer(text):
        if match["loose"] is None or _looks_issued(match["loose"]):
            yield match.span()
    for match in _HEADER.finditer(text):
        if _is_random(match["value"]):
            yield match.span("value")
    for match in _USERINFO.finditer(text):
        if ":" in match["userinfo"] or _RUN.search(match["userinfo"]):
            yield match.span("userinfo")
    for match in _QUERY.finditer(text):
        if is_secret_key(match["key"]) or match["key"].lower() in ("sig", "signature", "key", "x-amz-signature"):
            yield match.span("value")
    yield from _assignments(text)


def _assignments(text: str) -> Iterator[tuple[int, int]]:
    """`PASSWORD=...`, `api_key: ...`, `--token ...` inside a longer text (a command line, a message, a .env file)."""
    for match in _ASSIGNMENT.finditer(text):
        # After a colon a word may be prose ("secret: keep it"), so there the value must not be plain letters.
        is_value = match["sign"] == "=" or not match["value"].isalpha()
        if is_value and is_secret_key(match["key"]) and not _HARMLESS_VALUE.fullmatch(match["value"]):
            yield match.span("value")
    for match in _OPTION.finditer(text):
        if is_secret_key(match["key"]) and not _HARMLESS_VALUE.fullmatch(match["value"]):
            yield match.span("value")


def _merged(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def strip_userinfo(url: str) -> str:
    """Return a URL or an scp-like git remote without user and password, and with secret query values redacted."""
    stripped = _USERINFO.sub(lambda match: match["scheme"], url)
    stripped = re.sub(r"\A[^\s/@:]+@(?=[^\s/]+:)", "", stripped)
    return redact_text(stripped)
