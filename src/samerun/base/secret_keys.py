"""Which names say that the value beside them is a secret: of settings, options, headers and environment variables.

A name is judged word by word, however it is written (snake, kebab, camel, upper case): `wandbApiKey` is telling,
`num_memory_tokens`, `tokenizer` and `key_dim` are not. What a value looks like is secret_shapes.py's and drawn.py's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LENGTH: Final = 200
"""Longer names are data, not names: their last 200 characters are judged."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRONG: Final = _words(
    "password passwords passwd pwd passphrase passphrases passcode secret secrets credential credentials creds apikey "
    "apikeys authorization cookie cookies privatekey secretkey accesskey authtoken passwort kennwort contrasena"
)
_STRONG_ENDINGS: Final = (
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authtoken",
    "accesstoken",
    "apitoken",
    "authkey",
    "clientsecret",
)
_STRONG_PAIRS: Final = frozenset(
    (first, second)
    for first, seconds in {
        "api": "key keys token tokens secret",
        "access": "key keys token tokens",
        "app": "key keys",
        "application": "key keys",
        "auth": "token tokens key header string",
        "basic": "auth",
        "bearer": "token tokens",
        "cipher": "key",
        "connection": "string",
        "consumer": "key",
        "db": "pass pw",
        "decryption": "key keys",
        "deploy": "key keys token",
        "encryption": "key keys",
        "gpg": "key",
        "hmac": "key",
        "master": "key",
        "pgp": "key",
        "private": "key keys token",
        "refresh": "token tokens",
        "root": "pass pw",
        "sas": "token url",
        "secret": "key keys",
        "session": "token tokens key cookie",
        "shared": "key",
        "signing": "key keys",
        "smtp": "pass pw",
        "ssh": "key keys",
        "ssl": "key",
        "subscription": "key",
        "tls": "key",
        "user": "pass pw",
        "webhook": "url secret",
    }.items()
    for second in seconds.split()
)
_PROVIDERS: Final = _words(
    "account anthropic anyscale aws azure bitbucket bot clearml cohere comet csrf databricks deepseek discord docker "
    "doppler fireworks gcp gemini gh ghcr git gitea github gitlab google groq heroku hf hub huggingface jwt kaggle "
    "langchain langsmith license login mailgun mistral mlflow modal mongo mongodb mysql neptune ngc ngrok notion "
    "npm nvidia oauth okta openai openrouter pagerduty perplexity personal pinecone pg postgres pypi redis replicate "
    "runpod sas security sendgrid sentry service shopify slack snowflake stripe supabase storage telegram "
    "twilio vault vercel wandb xai"
)
# What follows the secret word and makes it a fact about a secret, not the secret.
_HARMLESS_TAILS: Final = _words(
    "count counts size len length num number index idx dim dims mask embedding embeddings emb path paths file files "
    "dir "
    "folder type types kind name names ttl timeout seconds lifetime expiry expires format enabled required rate ratio "
    "weight weights env variable policy manager loader url uri endpoint host field column regex pattern provider "
    "method "
    "mode strategy scheme class cls backend prefix suffix template placeholder label help description version limit "
    "budget algorithm alg bits callback filter separator sep delimiter vocab proj bias scale loss std init prompt"
)
_WORKING_FOLDER: Final = "PWD"
"""A variable that every shell sets; `MYSQL_PWD` and a setting `pwd` are passwords."""
_COUNTING: Final = _words("num n max min total mean avg count")
_COUNTS: Final = frozenset((word,) for word in _COUNTING)
_TELLING: Final = _words("key keys token tokens auth sig signature cred pass pw bearer session")
# A key of these is an entry of a table, a field or an object; entropy beside it is a digest or an identifier.
_OTHER_KEYS: Final = _words(
    "blob bucket cache column config content data dataset dedup dict digest feature field foreign group hash "
    "idempotency "
    "index item join label lookup map metric object option param partition primary prng public query random registry "
    "rng route row run sort state table topic unique"
)


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Split a name into its words, in lower case: `HFToken`, `hf_token` and `HF-TOKEN` are ("hf", "token")."""
    return tuple(word.lower() for word in _WORD.findall(name[-_LENGTH:]))


@lru_cache(maxsize=4096)
def is_secret_key(key: str) -> bool:
    """Whether a value under this name is a secret: snake, kebab, camel and upper case names, judged word by word."""
    words = words_of(key)
    if not words or words_of(key.rpartition(".")[2])[:1] in _COUNTS:
        return False
    is_counted = not _COUNTING.isdisjoint(words)
    if not is_counted and words[-2:] in _STRONG_PAIRS:
        return True
    if words[-1] in _HARMLESS_TAILS:
        return False
    if any(word in _STRONG or word.endswith(_STRONG_ENDINGS) for word in words):
        return True
    if is_counted:
        return False
    if any(pair in _STRONG_PAIRS for pair in pairwise(words)) or words in (("token",), ("auth",), ("id", "token")):
        return True
    return words[-1] in ("token", "key") and _names_provider(words[:-1])


def _names_provider(words: tuple[str, ...]) -> bool:
    # `OpenAIKey` is open, ai, key.
    return any(word in _PROVIDERS for word in words) or any(a + b in _PROVIDERS for a, b in pairwise(words))


def is_secret_variable(name: str) -> bool:
    """Whether an environment variable of this name holds a secret: `..._TOKEN` is no vocabulary there."""
    if name == _WORKING_FOLDER:
        return False
    return is_secret_key(name) or words_of(name)[-1:] in (("token",), ("key",), ("auth",))


def is_telling_key(key: str) -> bool:
    """Whether a random text under this name is a secret: `my_key`, `sig`, `session`; not `cache_key`, `public_key`."""
    words = words_of(key)
    if _TELLING.isdisjoint(words) or words[-1] in _HARMLESS_TAILS:
        return False
    return _OTHER_KEYS.isdisjoint(words)


def holds_numbers(key: str) -> bool:
    """Whether a number under this secret name is a secret too: a password may be one, `auth_token: 3` is an id."""
    words = words_of(key)
    is_strong = any(word in _STRONG for word in words) or any(pair in _STRONG_PAIRS for pair in pairwise(words))
    return is_strong and _words("token tokens").isdisjoint(words)
