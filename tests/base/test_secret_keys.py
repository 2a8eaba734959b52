"""Names are judged word by word, however they are written."""

from __future__ import annotations

import pytest

from samerun.base.secret_keys import holds_numbers, is_secret_key, is_secret_variable, is_telling_key, words_of


def test_a_name_is_split_into_its_words_however_it_is_written() -> None:
    for name in (
        "hf_api_token",
        "hf-api-token",
        "hfApiToken",
        "HfApiToken",
        "HF_API_TOKEN",
        "HFApiToken",
        "hf.api.token",
    ):
        assert words_of(name) == ("hf", "api", "token")


@pytest.mark.parametrize("spelling", ["openai_api_key", "openai-api-key", "openaiApiKey", "OPENAI_API_KEY"])
def test_a_secret_name_is_one_in_every_spelling(spelling: str) -> None:
    assert is_secret_key(spelling)


def test_a_fact_about_a_secret_is_none() -> None:
    for name in ("password_length", "secret_path", "token_url", "num_secrets", "max_password_length", "token.count"):
        assert not is_secret_key(name)
    assert is_secret_key("webhook_url") and is_secret_key("sas_url")


def test_in_the_environment_a_token_is_no_vocabulary() -> None:
    assert is_secret_variable("bos_token") and not is_secret_key("bos_token")


def test_the_working_folder_of_a_shell_is_no_password() -> None:
    assert not is_secret_variable("PWD") and not is_secret_variable("OLDPWD")
    assert is_secret_variable("MYSQL_PWD") and is_secret_variable("pwd") and is_secret_key("PWD")


def test_a_key_of_a_table_is_not_telling() -> None:
    assert is_telling_key("my_key") and is_telling_key("sig")
    for name in ("cache_key", "public_key", "state_key", "rng_key", "sort_key", "loss", "key_dim"):
        assert not is_telling_key(name)


def test_a_number_may_be_a_password_but_no_token() -> None:
    assert holds_numbers("db_password") and holds_numbers("api_key")
    assert not holds_numbers("auth_token") and not holds_numbers("hub_key")


def test_a_name_of_a_megabyte_is_judged_by_its_end() -> None:
    assert is_secret_key("x" * 1_000_000 + "_password")
