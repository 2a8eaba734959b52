"""The namespace of streams as it is listed."""

from __future__ import annotations

from samerun.streams.listing import streams
from samerun.streams.registry import TEMPLATES

ROWS = [
    {"step": 0, "streams": {"data/order/epoch/{epoch}": 100, "user/augment": 2}},
    {"step": 1, "streams": {"user/augment": 3}},
    {"step": 2, "streams": {"step/{step}/user/noise": 1}},
]


def test_without_a_run_the_whole_namespace_is_listed_and_nothing_was_drawn() -> None:
    listed = streams()
    assert [stream.template for stream in listed] == [template.text for template in TEMPLATES]
    assert {stream.drawn for stream in listed} == {None}


def test_a_runs_draws_are_summed_by_template() -> None:
    listed = {stream.template: stream for stream in streams(ROWS)}
    assert listed["data/order/epoch/{epoch}"].drawn == 100
    assert listed["model/weights/{name}"].drawn == 0
    assert (listed["user/augment"].drawn, listed["user/augment"].first_step) == (5, 0)
    assert listed["step/{step}/user/noise"].first_step == 2


def test_a_users_own_streams_come_last_with_the_description_of_their_form() -> None:
    own = [stream for stream in streams(ROWS) if stream.template not in {template.text for template in TEMPLATES}]
    assert [stream.template for stream in own] == ["step/{step}/user/noise", "user/augment"]
    assert own[0].description.startswith("a user's own stream in a step")
    assert all(stream.is_user for stream in own)
