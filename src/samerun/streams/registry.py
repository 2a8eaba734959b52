"""The closed list of the streams that samerun itself draws from, and the forms that users' own streams take.

A template that is not here cannot be opened (source.py), so this page is the whole namespace. `samerun streams` prints
it. A new consumer of randomness gets a new line; a line that is here keeps its text: the text is the name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Template:
    """One family of streams: `text` with {values} in it, and who draws from it."""

    text: str
    description: str
    is_pure: bool = False
    """May be opened again within a step: its draws are a function that is simply computed again."""
    is_user: bool = False
    """A form of users' own streams: further parts follow."""


TEMPLATES: tuple[Template, ...] = (
    Template("ambient/setup", "global generators from the start of a run to its first step", is_pure=True),
    Template("ambient/restore", "global generators while iterators and workers are made and state is loaded", True),
    Template("ambient/throwaway", "global generators in the throw-away step that lists operations", is_pure=True),
    Template(
        "ambient/step/{step}/micro/{micro}/rank/{rank}",
        "global generators in the body of a step: dropout, third-party code",
        is_pure=True,
    ),
    Template("ambient/loader/{step}", "global generators around fetching the batch of a step", is_pure=True),
    Template("ambient/evaluation/{name}/{step}", "global generators in an evaluation", is_pure=True),
    Template("ambient/scope/{name}/{step}", "global generators in a diagnostic scope", is_pure=True),
    Template("data/order/epoch/{epoch}", "the order of the items in an epoch", is_pure=True),
    Template("data/item/epoch/{epoch}/item/{item}", "what is random about one item: its augmentation", is_pure=True),
    Template("data/worker/{worker}", "global generators of a loader worker between items", is_pure=True),
    Template("model/weights/{name}", "the initial values of one parameter, drawn on the host"),
    Template("user/...", "a user's own stream: run.stream(...), samerun.Streams(seed).stream(...)", is_user=True),
    Template("step/{step}/user/...", "a user's own stream in a step: step.stream(...)", is_user=True),
    Template("epoch/{epoch}/user/...", "a user's own stream in an epoch", is_user=True),
    Template("evaluation/{name}/{step}/user/...", "a user's own stream in an evaluation", is_user=True),
    Template("scope/{name}/{step}/user/...", "a user's own stream in a diagnostic scope", is_user=True),
)

BY_TEXT: dict[str, Template] = {template.text: template for template in TEMPLATES}
USER_PREFIXES: dict[str, Template] = {
    template.text.split("/")[0]: template for template in TEMPLATES if template.is_user and template.text != "user/..."
}
"""First part of the prefix of a user's stream -> its form."""
