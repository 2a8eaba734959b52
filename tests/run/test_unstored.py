"""State is stored to the bit, so a secret in it is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from samerun.base.revealed import forget_all, remember
from samerun.errors import UsageError
from samerun.run.unstored import refuse_read_secrets, refuse_secret_value
from samerun.run.values import Values


@pytest.fixture(autouse=True)
def nothing_remains() -> Iterator[None]:
    yield
    forget_all()


def test_values_take_no_secret_and_do_not_repeat_it() -> None:
    values = Values()
    values["count"], values["words"], values["nested"] = 3, "plain", {"a": [1, "b"]}
    for key, value in (("api_key", "abcd1234"), ("note", "password=abcd1234"), ("x", {"token": ["abcd1234"]})):
        with pytest.raises(UsageError) as caught:
            values[key] = value
        assert caught.value.code == "SR-RUN-029" and "abcd1234" not in str(caught.value)
        assert key not in values


def test_text_of_other_state_is_data_unless_this_run_has_read_it_as_a_secret() -> None:
    trees = {"corpus": {"lines": ["password=abcd1234", "nothing"], 3: 1.0}}
    refuse_read_secrets(trees)
    refuse_secret_value("count", 3.5)
    remember("nothing-of-that-kind")
    refuse_read_secrets(trees)
    remember("abcd1234")
    with pytest.raises(UsageError) as caught:
        refuse_read_secrets(trees)
    assert "corpus.lines[0]" in str(caught.value) and "abcd1234" not in str(caught.value)
