"""Where secrets stand inside a text: a message, a command line, a URL, a line of a file. Spans, nothing is replaced.

Known shapes come from secret_shapes.py, names from secret_keys.py; here are the forms in which a name and a value are
written. Every search is linear in the length of the text: nothing is scanned twice, or what is has a bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from samerun.base.drawn import looks_drawn
from samerun.base.revealed import revealed
from samerun.base.secret_keys import holds_numbers, is_secret_key, is_telling_key
from samerun.base.secret_shapes import shaped

Span = tuple[int, int]

HARMLESS_VALUE: Final = re.compile(
    r"(env|file):\S+|\[redacted\]|<[^<>]{1,60}>|\[[^\s]{1,40}\]|(sha256|sha512|sha1|xxh3|blake2b|md5)[:-][0-9A-Za-z+/=]+"
    r"|\$\{[^}]*\}|\$\(?[A-Za-z_][A-Za-z0-9_]*\)?|\{\{.*\}\}|%\([A-Za-z_]\w*\)s|\{[A-Za-z_][\w.]*\}|[*.xX]{3,}"
    r"|(?i:none|null|true|false|auto|default|required|optional|basic|bearer|token|anonymous|undefined|nil|hidden)",
    re.DOTALL,
)
"""References, markers, special tokens, digests and words that are no secret, whatever they stand beside."""

_HEADER: Final = re.compile(r"(?i)(?<![a-z])(?:bearer|basic|token)\s{1,9}(?P<value>[A-Za-z0-9._~+/\-]{12,}+=*)")
_AUTHORIZATION: Final = re.compile(
    r"(?i)authorization['\"]?\s{0,9}[:=]\s{0,9}['\"]?(?P<scheme>[a-z0-9\-]{3,20}\s{1,9})?(?P<value>[^\r\n'\"]{4,}+)"
)
_COOKIE: Final = re.compile(r"(?i)(?<![a-z0-9_])(?:set-)?cookie:\s{0,9}(?P<value>[^\r\n'\"]{0,200}=[^\r\n'\"]*+)")
_USERINFO: Final = re.compile(r"://(?P<userinfo>[^\s/?#'\"<>@]{0,400}(?:@[^\s/?#'\"<>@]{1,400})?)@(?=[^\s/@])")
# A password with a slash in it, as people paste it; `host:8080/path@2` is a port.
_BROKEN_USERINFO: Final = re.compile(
    r"://(?P<userinfo>[^\s/?#'\"<>@:]{0,100}:(?!\d{1,5}(?:[/?#]|$))[^\s'\"<>@]{1,200})@(?=[A-Za-z0-9\[])"
)
_ENCODED_USERINFO: Final = re.compile(
    r"(?i)%(?:25){0,3}3a%(?:25){0,3}2f%(?:25){0,3}2f(?P<userinfo>[^\s/?#'\"<>&@]{1,200}?)%(?:25){0,3}40"
)
_QUERY: Final = re.compile(r"[?&;](?:amp;)?(?P<key>[A-Za-z0-9_.\-%\[\]]{1,100}+)=(?P<value>[^&\s'\"#<>]++)")
_ENCODED_QUERY: Final = re.compile(
    r"(?i)%(?:25){0,3}(?:3f|26)(?P<key>[a-z0-9_.\-]{1,100}+)%(?:25){0,3}3d(?P<value>[^\s%&'\"#<>]++"
    r"(?:%(?!(?:25){0,3}26)[0-9a-f]{2}[^\s%&'\"#<>]*+)*+)"
)
_QUERY_SECRETS: Final = frozenset(
    {
        "sig",
        "signature",
        "key",
        "code",
        "token",
        "policy",
        "awsaccesskeyid",
        "x-amz-signature",
        "x-amz-security-token",
        "x-amz-credential",
        "x-goog-signature",
        "x-goog-credential",
    }
)
_XML: Final = re.compile(r"<(?P<key>[A-Za-z][A-Za-z0-9_.\-]{1,60})>(?P<value>[^<>\s]{1,400})</")
_NETRC: Final = re.compile(
    r"(?:machine|login)\s{1,9}\S{1,200}\s{1,9}(?:login\s{1,9}\S{1,200}\s{1,9})?password\s{1,9}(?P<value>\S++)"
)
_CURL_USER: Final = re.compile(
    r"(?<!\S)(?:-u|--user|--proxy-user)[\s=]['\"]?(?P<value>[^\s'\":]{1,100}:[^\s'\"]{1,200})"
)
# The whole run of name characters is one name, so that no run is scanned twice.
_NAMED: Final = re.compile(
    r"(?<![A-Za-z0-9_.\-])(?P<key>[A-Za-z0-9_.\-]{1,100}+)(?P<quote>\\?['\"])?\]?\s{0,9}"
    r"(?P<sign>:=|=>|[=!]=|[=:])\s{0,9}"
)
_OPTION: Final = re.compile(r"(?<!\S)--?(?P<key>[A-Za-z][A-Za-z0-9_.\-]{1,60}+)\s{1,9}(?=[^\s\-])")
_VALUE: Final = re.compile(
    r"(?:(?P<reference><[^<>\r\n]{1,60}>|\$\{[^}\r\n]{1,200}\}|\{\{[^}\r\n]{1,200}\}\})"
    # A quote that is escaped itself stands in a text within a text, and ends at the next of its kind.
    r"|\\\"(?P<inner_double>(?:[^\"\\\r\n]|\\[^\"\r\n])++)|\\'(?P<inner_single>(?:[^'\\\r\n]|\\[^'\r\n])++)"
    r"|[rbuf]{0,2}\"(?P<double>(?:[^\"\\\r\n]|\\.)++)|[rbuf]{0,2}'(?P<single>(?:[^'\\\r\n]|\\.)++)"
    r"|(?P<bare>(?:[^\s'\",;&]|[,;&](?=[^\s'\",;&]))++))"
)
_QUOTED: Final = frozenset({"inner_double", "inner_single", "double", "single"})
_PAIRS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_FORM_VALUE: Final = re.compile(r"[^\s'\"&;#<>]++")


def secret_spans(text: str) -> list[Span]:
    """Return the spans of all secrets in a text, merged and in order."""
    if len(text) < 4:
        return merged(revealed(text))
    return merged(_all_spans(text))


def is_harmless_value(value: str) -> bool:
    """Whether a value is no secret whatever it is called: a reference, a marker, `<pad>`, `sha256:...`, `none`."""
    return len(value) <= 1000 and HARMLESS_VALUE.fullmatch(value) is not None


def is_secret_beside(key: str, value: str) -> bool:
    """Whether a text is a secret because of the name that it stands under."""
    if is_harmless_value(value) or (len(value) <= 5 and value.isdigit() and not holds_numbers(key)):
        return False
    return is_secret_key(key) or (is_telling_key(key) and looks_drawn(value))


def _all_spans(text: str) -> Iterator[Span]:
    yield from revealed(text)
    yield from shaped(text)
    lower = text.lower()
    if "://" in text or "%2f" in lower:
        yield from _urls(text)
    if "=" in text or "%3d" in lower:
        yield from _queries(text)
    if "=" in text or ":" in text:
        yield from _headers(text, lower)
        yield from _assignments(text)
    elif any(word in lower for word in ("bearer", "basic", "token ", "password")):
        yield from _schemes(text)
    yield from _options(text)
    if "</" in text:
        yield from (
            match.span("value") for match in _XML.finditer(text) if is_secret_beside(match["key"], match["value"])
        )


def _urls(text: str) -> Iterator[Span]:
    for match in _USERINFO.finditer(text):
        if _is_userinfo(match["userinfo"]):
            yield match.span("userinfo")
    for match in _BROKEN_USERINFO.finditer(text):
        if not is_harmless_value(match["userinfo"].partition(":")[2]):
            yield match.span("userinfo")
    for match in _ENCODED_USERINFO.finditer(text):
        if _is_userinfo(unquote(unquote(match["userinfo"]))):
            yield match.span("userinfo")


def _is_userinfo(userinfo: str) -> bool:
    """Whether the part before the @ of a URL holds more than the name of a user."""
    _, colon, password = userinfo.partition(":")
    if colon:
        return bool(password) and not is_harmless_value(password)
    return re.search(r"[A-Za-z0-9]{16,}", userinfo) is not None


def _queries(text: str) -> Iterator[Span]:
    for pattern in (_QUERY, _ENCODED_QUERY):
        for match in pattern.finditer(text):
            key = unquote(match["key"])
            is_known = key.lower() in _QUERY_SECRETS and not is_harmless_value(match["value"])
            if is_known or is_secret_beside(key, unquote(match["value"])):
                yield match.span("value")


def _headers(text: str, lower: str) -> Iterator[Span]:
    yield from _schemes(text)
    if "authorization" in lower:
        for match in _AUTHORIZATION.finditer(text):
            if match["scheme"] or not (match["value"].isalpha() or is_harmless_value(_first_word(match["value"]))):
                yield match.span("value")
    if "cookie:" in lower:
        yield from (match.span("value") for match in _COOKIE.finditer(text))
    if "-u" in text:
        yield from (match.span("value") for match in _CURL_USER.finditer(text) if not _is_ids(match["value"]))


def _first_word(text: str) -> str:
    return re.split(r"[\s,;}\])]", text, maxsplit=1)[0]


def _schemes(text: str) -> Iterator[Span]:
    yield from (match.span("value") for match in _HEADER.finditer(text) if looks_drawn(match["value"]))
    yield from (match.span("value") for match in _NETRC.finditer(text))


def _is_ids(value: str) -> bool:
    return all(part.isdigit() for part in value.split(":"))


def _assignments(text: str) -> Iterator[Span]:
    """`PASSWORD=...`, `api_key: ...`, `"token": "..."` inside a longer text: a command line, a message, a .env file."""
    done = judged = 0
    for match in _NAMED.finditer(text):
        key = match["key"].lstrip("-")
        is_open = match.end() >= done and (is_secret_key(key) or (match.end() >= judged and is_telling_key(key)))
        if not is_open:
            continue
        is_form = text[match.start() - 1 : match.start()] in ("?", "&")
        value = (_FORM_VALUE if is_form else _VALUE).match(text, match.end())
        if value is None:
            continue
        start, end = _span_of(value)
        judged = end  # what names lie in this value were judged with it
        if _is_assigned(match, key, value):
            done = end
            yield start, end


def _is_assigned(match: re.Match[str], key: str, value: re.Match[str]) -> bool:
    start, end = _span_of(value)
    found = match.string[start:end]
    if not is_secret_beside(key, found):
        return False
    if match["sign"] != ":" or _is_quoted(value):
        # `unexpected token: "x"` is prose: after a colon, a quoted word counts beside a quoted or an unmistakable name.
        return match["sign"] != ":" or match["quote"] is not None or key.lower() not in ("token", "auth")
    # After a colon a word may be prose ("secret: keep it"), so there the value must not be plain letters.
    return not found.rstrip(".!?").isalpha() and len(found) >= 3


def _is_quoted(value: re.Match[str]) -> bool:
    return value.lastgroup in _QUOTED


def _span_of(value: re.Match[str]) -> Span:
    if _is_quoted(value):
        return value.span(value.lastgroup or 0)
    # Brackets around a call or a list are not the value's.
    found = value.group()
    end = len(found)
    spare = {close: found.count(close) - found.count(begin) for close, begin in _PAIRS.items()}
    while end and spare.get(found[end - 1], 0) > 0:
        end -= 1
        spare[found[end]] -= 1
    return value.start(), value.start() + end


def _options(text: str) -> Iterator[Span]:
    """`--token VALUE`: as a command line is written."""
    done = 0
    for match in _OPTION.finditer(text):
        if match.end() < done or not (is_secret_key(match["key"]) or is_telling_key(match["key"])):
            continue
        value = _VALUE.match(text, match.end())
        if value is not None:
            start, end = _span_of(value)
            if is_secret_beside(match["key"], text[start:end]):
                done = end
                yield start, end


def merged(spans: Iterator[Span]) -> list[Span]:
    """Return spans in order, those that touch as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if start == end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
