"""Neither a secret nor a path of this machine stands in what may be shared."""

from __future__ import annotations

from samerun.base.shareable import shareable, shareable_text


def test_secrets_and_paths_go_and_the_rest_stays() -> None:
    said = "password=hunter22 in '/data/set/x.csv' at step 3"
    wanted = "password=[redacted] in '[local path]/x.csv' at step 3"
    assert shareable_text(said) == wanted
    assert shareable({"a": [said, 3], "api_key": "k"}) == {"a": [wanted, 3], "api_key": "[redacted]"}
