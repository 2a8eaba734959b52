"""The shapes of secrets that their issuers document: a prefix, a length, an alphabet. Found wherever they stand.

Each pattern is searched only where one of its anchors stands, and scans a text in linear time: what follows an anchor
is consumed, or has a bound. Names beside values are secret_keys.py's; passwords have no shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from samerun.base.drawn import looks_drawn, looks_issued

# A token begins at a word, or behind an escape: a line feed of a repr, a percent-encoded sign, a `\u0022` of JSON.
_START: Final = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2}))"
)
_WORD: Final = r"[A-Za-z0-9_\-]"


_SEPARATORS: Final = re.compile(r"[.\-]")
_BASE64_END: Final = re.compile(r"[A-Za-z0-9+/]*\Z")


@dataclass(frozen=True)
class Shape:
    """One family of secrets. `accepts` judges a match further; what it refuses is passed over as a whole."""

    issuer: str
    anchors: tuple[str, ...]
    pattern: str
    """Compiled when an anchor is met for the first time."""
    accepts: Callable[[re.Match[str]], bool]
    reach: int = 0
    """How far the secret may begin before the match: where the telling part stands near its end."""

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where such secrets stand; a group `secret` is the secret within the match."""
        if not any(anchor in text for anchor in self.anchors):
            return
        pattern = _compiled(self.pattern)
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            if self.accepts(match):
                start, end = match.span(group)
                yield start - len(_BASE64_END.search(text[max(0, start - self.reach) : start]).group()), end  # type: ignore[union-attr]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _any(_: re.Match[str]) -> bool:
    return True


def _is_issued(match: re.Match[str]) -> bool:
    return looks_issued(match.group()) or looks_drawn(_SEPARATORS.sub("", match.group()))


def _is_drawn(match: re.Match[str]) -> bool:
    return looks_drawn(_SEPARATORS.sub("", match.group()))


def _has_claims(match: re.Match[str]) -> bool:
    return match["claims"] is not None


def _shape(issuer: str, anchors: str, pattern: str, accepts: Callable[[re.Match[str]], bool] = _any) -> Shape:
    return Shape(issuer, tuple(anchors.split()), pattern, accepts)


def _prefixed(
    issuer: str,
    prefixes: str,
    least: int,
    alphabet: str = _WORD,
    accepts: Callable[[re.Match[str]], bool] = _is_issued,
) -> Shape:
    """A prefix and at least so many characters behind it: the form that most issuers chose."""
    anchors = tuple(prefixes.split())
    names = "|".join(re.escape(anchor) for anchor in sorted(anchors, key=len, reverse=True))
    return Shape(issuer, anchors, f"{_START}(?:{names}){alphabet}{{{least},}}+", accepts)


PRIVATE_KEY: Final = _shape(
    "private keys",
    "PRIVATE",
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}-----|\Z)",
)

SHAPES: Final[tuple[Shape, ...]] = (
    PRIVATE_KEY,
    _shape("PuTTY", "PuTTY-User-Key-File", r"(?s)PuTTY-User-Key-File-\d.*?(?:Private-MAC: [0-9a-f]{1,64}|\Z)"),
    _shape("age", "AGE-SECRET-KEY-1", rf"{_START}AGE-SECRET-KEY-1[0-9A-Z]{{40,70}}"),
    _prefixed("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", 16),
    _prefixed(
        "GitLab",
        "glpat- gldt- glft- glsoat- glrt- glrtr- glcbt- glimt- glptt- glagent- gloas- glffct- glwt- GR1348941",
        16,
        r"[A-Za-z0-9_.\-]",
    ),
    _prefixed("Hugging Face", "hf_ api_org_ hf_oauth_", 16),
    _prefixed(
        "OpenAI, Anthropic, OpenRouter, Stripe and others", "sk- sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_", 16
    ),
    _prefixed("Stripe", "pk_live_ pk_test_ whsec_ rk_prod_", 16, r"[A-Za-z0-9_+/\-]"),
    _prefixed("Google", "AIza", 30, accepts=_any),
    _prefixed("Google", "ya29. GOCSPX- 1//0", 20),
    _prefixed("packages", "npm_ pypi- rubygems_ dckr_pat_ dckr_oat_", 24),
    _prefixed(
        "models",
        "r8_ nvapi- gsk_ xai- pplx- lsv2_ lsv2_pt_ lsv2_sk_ pcsk_ rpa_ tgp_v1_ csk- jina_ wandb_v1_ KGAT_ "
        "bedrock-api-key- ntn_",
        20,
    ),
    _prefixed(
        "clouds",
        "dop_v1_ doo_v1_ dor_v1_ dapi dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. hvs. hvb. hvr. pul- figd_ "
        "sbp_ pscale_tkn_ pscale_pw_ pscale_oauth_ nfp_ vcp_ vck_ HRKU- fo1_ fm2_ fm1r_ ops_ tskey- LTAI",
        20,
        r"[A-Za-z0-9_.\-]",
    ),
    _prefixed(
        "services",
        "shpat_ shpca_ shppa_ shpss_ sq0atp- sq0csp- sq0idp- lin_api_ lin_oauth_ ATATT3 ATCTT3 ATBB glsa_ glc_ "
        "eyJrIjoi NRAK- NRIQ- sntrys_ sntryu_ PMAK- CFPAT- pnu_ pnb_ phc_ phx_ xkeysib- xsmtpsib- EAAA dt0c01. "
        "dt0s16. rzp_live_ rzp_test_",
        24,
        r"[A-Za-z0-9_.=+/\-]",
    ),
    _prefixed(
        "prefixes that are words too", "sk_ sl. fw_ key- secret_ pa- rf_ cf_ cio dose co_", 20, accepts=_is_drawn
    ),
    _shape(
        "AWS", "AKIA ASIA ABIA ACCA A3T", rf"{_START}(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{{16}}(?![0-9A-Za-z])"
    ),
    _prefixed("AWS", "ABSK", 60, r"[A-Za-z0-9+/=]"),
    _shape("Slack", "xox xapp-", rf"{_START}(?:xox[a-z]-|xoxe\.xox[bp]-\d-|xapp-\d-)[A-Za-z0-9\-]{{10,}}"),
    _shape(
        "webhooks",
        "hooks.slack.com hooks.zapier.com webhook.office.com /api/webhooks/ chat.googleapis.com",
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|hooks\.zapier\.com/hooks/catch/|\.webhook\.office\.com/"
        r"webhookb2/|/api/webhooks/\d{5,25}/|chat\.googleapis\.com/v1/spaces/)(?P<secret>[A-Za-z0-9_/@.%?=&\-]{8,})",
    ),
    _shape(
        "Discord",
        ".",
        rf"{_START}[MNO][A-Za-z0-9_\-]{{23,27}}\.[A-Za-z0-9_\-]{{6}}\.[A-Za-z0-9_\-]{{27,40}}(?![A-Za-z0-9_\-])",
        _is_drawn,
    ),
    _shape("Discord", "mfa.", rf"{_START}mfa\.[A-Za-z0-9_\-]{{60,100}}"),
    _shape("Telegram", ":", rf"{_START}(?:bot)?\d{{8,10}}:[A-Za-z0-9_\-]{{35}}(?![A-Za-z0-9_\-])", _is_issued),
    _shape("Twilio", "SK AC", rf"{_START}(?:SK|AC)[0-9a-f]{{32}}(?![0-9A-Za-z])"),
    _shape("SendGrid", "SG.", rf"{_START}SG\.[A-Za-z0-9_\-]{{16,64}}\.[A-Za-z0-9_\-]{{16,128}}"),
    _shape("Mailchimp", "-us", rf"{_START}[0-9a-f]{{32}}-us\d{{1,2}}(?![0-9A-Za-z])"),
    _shape("Airtable", "pat", rf"{_START}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}"),
    _shape("Azure", "Q~", rf"{_START}[A-Za-z0-9_~.\-]{{3}}\dQ~[A-Za-z0-9_~.\-]{{31,34}}"),
    _shape("Azure", "AZDO", rf"{_START}[A-Za-z0-9]{{76}}AZDO[A-Za-z0-9]{{4}}"),
    Shape(
        "Azure",
        ("+A",),
        r"\+A(?:St|Eh|CD|Rm|MC|CR)(?<=[A-Za-z0-9+/]{70}\+A[A-Za-z]{2})[A-Za-z0-9+/]{2,12}={0,2}",
        _any,
        reach=78,
    ),
    _shape("HashiCorp", ".atlasv1.", rf"{_START}[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_\-=]{{60,80}}"),
    _shape("Artifactory", "AKC", rf"{_START}AKC[A-Za-z0-9]{{60,80}}(?![A-Za-z0-9])"),
    _shape(
        "JSON web tokens",
        "eyJ",
        rf"{_START}eyJ[A-Za-z0-9_\-]{{8,}}+(?P<claims>\.[A-Za-z0-9_\-]{{8,}}+(?:\.[A-Za-z0-9_\-]*+)*)?",
        _has_claims,
    ),
    _shape("Neptune", "eyJhcGlf", rf"{_START}eyJhcGlf[A-Za-z0-9_\-=]{{40,}}"),
)
"""Every shape that is known by itself, without a name beside it."""


def shaped(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of all secrets in a text that are known by their shape; they may overlap."""
    for shape in SHAPES:
        yield from shape.spans(text)
