"""Secrets: found by name, by shape and by entropy; words that only sound like them stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samerun.base.redact import (
    REDACTED,
    is_secret_key,
    is_secret_text,
    is_secret_variable,
    redact,
    redact_text,
    remember_environment,
    remember_found,
    strip_userinfo,
)
from samerun.base.revealed import forget_all

LETTERS = "AbCdEfGh1jKlMn0pQrStUvWxYz23456789"
# Put together here, so that no scanner takes this file for a leak.
TOKENS = {
    "hugging face": "hf" + "_" + LETTERS,
    "openai": "sk" + "-" + LETTERS,
    "openai project": "sk" + "-proj-" + LETTERS,
    "anthropic": "sk" + "-ant-api03-" + LETTERS,
    "github": "ghp" + "_" + LETTERS,
    "github fine": "github" + "_pat_" + LETTERS,
    "gitlab": "glpat" + "-" + LETTERS[:20],
    "aws": "AKIA" + "ABCDEFGH23456789",
    "slack": "xoxb" + "-123456789012-" + LETTERS,
    "google": "AIza" + LETTERS + "_",
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + LETTERS,
    "pem": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
    "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + LETTERS,
    "npm": "npm" + "_" + LETTERS,
}

SECRET_KEYS = """
password Password db_password db.password passwd PGPASSWORD MYSQL_PWD passphrase secret client_secret clientSecret
client-secret api_key apiKey api-key API_KEY apikey WANDB_API_KEY wandbApiKey OPENAI_API_KEY openai_key access_token
accessToken access_key_id AWS_SECRET_ACCESS_KEY aws_session_token token auth_token HF_TOKEN hf_token hfToken
huggingface-token github_token GITHUB_TOKEN private_key privateKey ssh_key signing_key encryption_key refresh_token
bearer_token credentials creds Authorization cookie session_key connection_string webhook_url slack_token passwords
"""
HARMLESS_KEYS = """
num_memory_tokens tokenizer use_cls_token session_count max_tokens token_embedding key_padding_mask pad_token eos_token
bos_token mask_token unk_token tokens num_tokens tokens_per_second token_count token_type_ids tokenizer_name key keys
query_key sort_key primary_key num_keys key_dim key_value_heads author authors secretary monkey keyboard hidden_keys
n_tokens image_token_id next_token_loss max_new_tokens max_session_tokens user_token password_length compass passes
access_count private cookie_count secret_path api_version author_token_embedding num_access_tokens step seed 42
"""


@pytest.mark.parametrize("key", SECRET_KEYS.split())
def test_a_secret_is_known_by_its_name(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize("key", HARMLESS_KEYS.split())
def test_a_name_that_only_sounds_like_a_secret_is_none(key: str) -> None:
    assert not is_secret_key(key)
    assert redact({key: 17, f"x.{key}": "gpt2"}) == ({key: 17, f"x.{key}": "gpt2"}, [])


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("around", ["{}", "  {}\n", "error: {} was refused", "https://host/{}", "['{}']", "x={}"])
def test_a_known_token_is_found_wherever_it_stands(name: str, around: str) -> None:
    text = around.format(TOKENS[name])
    assert is_secret_text(text)
    assert TOKENS[name] not in redact_text(text)
    clean, paths = redact({"steps": 3, "notes": ["fine", {"free text": text}]})
    assert TOKENS[name] not in repr(clean)
    assert clean["steps"] == 3 and clean["notes"][0] == "fine"
    assert paths == ["notes[1].free text"]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://user:pa55@host/x", "https://[redacted]@host/x"),
        ("postgresql+psycopg://me:p%40ss@db:5432/x", "postgresql+psycopg://[redacted]@db:5432/x"),
        (f"https://{LETTERS}@github.com/o/r", "https://[redacted]@github.com/o/r"),
        ("https://h/x?access_token=abcd&y=1", "https://h/x?access_token=[redacted]&y=1"),
        ("https://h/x?y=1&api_key=abcd", "https://h/x?y=1&api_key=[redacted]"),
        ("https://s3/x?X-Amz-Signature=ab12&X-Amz-Date=7", "https://s3/x?X-Amz-Signature=[redacted]&X-Amz-Date=7"),
        ("password=hunter2", "password=[redacted]"),
        ("export HF_TOKEN='abc12345'", "export HF_TOKEN='[redacted]'"),
        ('{"api_key": "abc12345"}', '{"api_key": "[redacted]"}'),
        ("train.py --api-key abcd1234 --lr 3", "train.py --api-key [redacted] --lr 3"),
        ("train.py --api-key=abcd1234 --lr 3", "train.py --api-key=[redacted] --lr 3"),
        ("Authorization: Bearer abcdef0123456789abcd", "Authorization: Bearer [redacted]"),
        ("A=1\nDB_PASSWORD=secret99\nB=2", "A=1\nDB_PASSWORD=[redacted]\nB=2"),
    ],
)
def test_a_secret_inside_a_text_goes_and_the_rest_stays(text: str, clean: str) -> None:
    assert redact_text(text) == clean
    assert redact_text(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-digits-classification-2",
        "hf_internal_testing_tiny_random_model",
        "git@github.com:o/r.git",
        "ssh://git@github.com/o/r",
        "https://github.com/o/r?x=1&page=2",
        "max_tokens=100 num_memory_tokens=12 use_cls_token=True tokenizer=gpt2",
        "the token: a word",
        "secret: keep",
        "mail me@host.com",
        "sha256:" + "a1" * 32,
        "--seed 7 --tokenizer bpe --key-dim 64",
        "task-0123456789abcdef0123",
        "expected key 'fc.bias' of shape (10,)",
        "",
    ],
)
def test_an_ordinary_text_stays(text: str) -> None:
    assert not is_secret_text(text)
    assert redact_text(text) == text


def test_everything_below_a_secret_name_goes() -> None:
    tree = {"credentials": {"user": "me", "pin": 1234, "hosts": ["a", {"b": "c"}], "on": True, "none": None}}
    clean, paths = redact(tree)
    assert clean["credentials"] == {
        "user": REDACTED,
        "pin": REDACTED,
        "hosts": [REDACTED, {"b": REDACTED}],
        "on": True,
        "none": None,
    }
    assert paths == ["credentials.user", "credentials.pin", "credentials.hosts[0]", "credentials.hosts[1].b"]


def test_a_command_line_is_read_as_options_and_values() -> None:
    argv = ["train.py", "--api-key", "abcd", "--hf_token=abcd", "--seed", "7", "-p", "x"]
    clean, paths = redact({"argv": argv})
    assert clean["argv"] == ["train.py", "--api-key", REDACTED, "--hf_token=[redacted]", "--seed", "7", "-p", "x"]
    assert paths == ["argv[2]", "argv[3]"]


def test_a_random_text_beside_a_telling_name_goes() -> None:
    clean, paths = redact({"my_key": LETTERS, "key": "model.layers.0.weight", "other": LETTERS, "sig": "x" * 40})
    assert clean == {"my_key": REDACTED, "key": "model.layers.0.weight", "other": LETTERS, "sig": "x" * 40}
    assert paths == ["my_key"]


def test_references_to_secrets_special_tokens_and_digests_stay() -> None:
    tree = {
        "api_key": "env:OPENAI_API_KEY",
        "password": "file:/run/secrets/db",
        "bot_token": "<|assistant|>",
        "state_key": "sha256:" + "ab12" * 16,
        "auth": None,
        "use_auth_token": True,
    }
    assert redact(tree) == (tree, [])


def test_the_name_of_a_variable_says_secret_where_the_name_of_a_setting_does_not() -> None:
    for name in ("TORCH_TOKEN", "MKL_KEY", "X_AUTH", "PYTORCH_API_TOKEN", "ONEDNN_PASSWORD", "token"):
        assert is_secret_variable(name)
    for name in ("OMP_NUM_THREADS", "TORCH_MAX_TOKENS", "TORCH_KEY_PATH", "MKL_CBWR", "TOKENIZERS_PARALLELISM", ""):
        assert not is_secret_variable(name)
    assert not is_secret_key("bos_token") and is_secret_variable("bos_token")


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "GOOGLE_APPLICATION_CREDENTIALS", "AWS_CREDENTIALS"])
def test_a_folder_that_the_shell_names_is_no_secret_whatever_its_variable_is_called(name: str, tmp_path: Path) -> None:
    try:
        remember_environment({name: str(tmp_path)})
        assert redact({"data": f"{tmp_path}/a"}) == ({"data": f"{tmp_path}/a"}, [])
        remember_environment({"SERVICE_TOKEN": "/aB3dE5gH7jK9mN1pQ3sT5vX7"})
        assert redact_text("see /aB3dE5gH7jK9mN1pQ3sT5vX7") == f"see {REDACTED}"
    finally:
        forget_all()


def test_a_secret_used_as_a_key_goes_too() -> None:
    clean, paths = redact({"a": {TOKENS["github"]: 1}})
    assert clean == {"a": {REDACTED: 1}}
    assert paths == ["a.[redacted]"]
    assert redact({TOKENS["github"]: {"password": "p"}})[1] == ["[redacted]", "[redacted].password"]


def test_two_secrets_used_as_keys_keep_a_value_each() -> None:
    remembered = "correct horse 1"
    tree = {TOKENS["github"]: 1, REDACTED: 2, TOKENS["openai"]: {"x": 3}, "password": remembered}
    clean, paths = redact(tree)
    assert clean == {f"{REDACTED} (2)": 1, REDACTED: 2, f"{REDACTED} (3)": {"x": 3}, "password": REDACTED}
    assert paths == [f"{REDACTED} (2)", f"{REDACTED} (3)", "password"]
    assert redact(clean) == (clean, [])
    remember_found(tree, clean)
    assert redact_text(f"it said {remembered}") == f"it said {REDACTED}"
    forget_all()


def test_the_tree_that_was_handed_in_is_untouched_and_types_stay() -> None:
    tree: dict[str, Any] = {"a": ("x", {"password": "p"}), "b": [1, 2.5, None], 3: b"bytes"}
    clean, _ = redact(tree)
    assert clean == {"a": ("x", {"password": REDACTED}), "b": [1, 2.5, None], 3: b"bytes"}
    assert tree["a"][1]["password"] == "p"


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://u:p@github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://oauth2@github.com/o/r.git", "https://github.com/o/r.git"),
        ("git@github.com:o/r.git", "github.com:o/r.git"),
        ("ssh://git@host:22/o/r", "ssh://host:22/o/r"),
        ("https://github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://host/o/r?private_token=abc", "https://host/o/r?private_token=[redacted]"),
        ("../local/path@2", "../local/path@2"),
    ],
)
def test_a_remote_is_kept_without_its_user(url: str, clean: str) -> None:
    assert strip_userinfo(url) == clean


def test_a_long_text_is_searched_in_linear_time() -> None:
    for text in ("a" * 200_000, "://" * 50_000, "key=" * 50_000, "-" * 100_000, "eyJ" * 50_000, "--a " * 50_000):
        redact_text(text)
