"""Faults of validation as sentences, each at its place, all at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samerun.config.resolved import Config
from samerun.errors import ConfigError

CASES = [
    ("steps: 3.0", "'steps' is 3.0; an integer is wanted: write 3", "SR-CONFIG-005"),
    ('count: "3"', "'count' is the text \"3\"; an integer is wanted: remove the quotes", "SR-CONFIG-005"),
    (
        "count: 012",
        "'count' is the text \"012\"; an integer is wanted: a number starts with no extra 0",
        "SR-CONFIG-005",
    ),
    ("count: 1_000", "'count' is the text \"1_000\"; an integer is wanted", "SR-CONFIG-005"),
    ("count: true", "'count' is true; an integer is wanted", "SR-CONFIG-005"),
    ("count: null", "'count' is null; an integer is wanted", "SR-CONFIG-005"),
    ("count: 1.5", "'count' is 1.5; an integer is wanted", "SR-CONFIG-005"),
    ('rate: "1e-4"', "'rate' is the text \"1e-4\"; a number is wanted: remove the quotes", "SR-CONFIG-005"),
    ("rate: 12:30:00", "'rate' is the text \"12:30:00\"; a number is wanted", "SR-CONFIG-005"),
    ("rate: [1]", "'rate' is a list; a number is wanted", "SR-CONFIG-005"),
    ("rate: {a: 1}", "'rate' is a table; a number is wanted", "SR-CONFIG-005"),
    (
        "flag: no",
        "'flag' is the text \"no\"; true or false is wanted: YAML 1.2 has only true and false",
        "SR-CONFIG-005",
    ),
    ("flag: 1", "'flag' is 1; true or false is wanted", "SR-CONFIG-005"),
    ("label: 7", "'label' is 7; text is wanted: write \"7\" with quotes", "SR-CONFIG-005"),
    ("label: true", "'label' is true; text is wanted: write \"true\" with quotes", "SR-CONFIG-005"),
    (
        "mode: carful",
        "'mode' is the text \"carful\"; fast or careful is wanted: did you mean careful?",
        "SR-CONFIG-005",
    ),
    ("tier: Exact", "'tier' is the text \"Exact\"; exact or fast is wanted: did you mean exact?", "SR-CONFIG-005"),
    ("device: gpu", "'device' is the text \"gpu\"; cpu or cuda or auto is wanted", "SR-CONFIG-005"),
    ("threads: 0", "'threads' is 0; auto or at least 1 is wanted", "SR-CONFIG-005"),
    ("threads: 1025", "'threads' is 1025; auto or at most 1024 is wanted", "SR-CONFIG-005"),
    ("threads: 1000000", "'threads' is 1000000; auto or at most 1024 is wanted", "SR-CONFIG-005"),
    ("threads: many", "'threads' is the text \"many\"; auto or an integer is wanted", "SR-CONFIG-005"),
    ("groups: {match: a}", "'groups' is a table; a list is wanted", "SR-CONFIG-005"),
    ("groups: [a]", "'groups.0' is the text \"a\"; a table is wanted", "SR-CONFIG-005"),
    ("groups: [{rate: 1}]", "'groups.0.match' is missing: it has no default", "SR-CONFIG-006"),
    ("checkpoint: 100", "'checkpoint' is 100; a table is wanted", "SR-CONFIG-005"),
    ("checkpoint: {keep: 0}", "'checkpoint.keep' is 0; at least 1 is wanted", "SR-CONFIG-005"),
    ("weights: {a: x}", "'weights.a' is the text \"x\"; a number is wanted", "SR-CONFIG-005"),
    ("weights: [1]", "'weights' is a list; a table is wanted", "SR-CONFIG-005"),
    ("chekpoint: {keep: 3}", "'chekpoint' is no setting; did you mean 'checkpoint'?", "SR-CONFIG-004"),
    ("checkpoint: {keeep: 3}", "'checkpoint.keeep' is no setting; did you mean 'checkpoint.keep'?", "SR-CONFIG-004"),
    ("momentum: 0.9", "'momentum' is no setting; did you mean 'optimizer.momentum'?", "SR-CONFIG-004"),
    ("groups: [{match: a, rat: 1}]", "'groups.0.rat' is no setting; did you mean 'groups.0.rate'?", "SR-CONFIG-004"),
    (
        "optimizer: {momentun: 1}",
        "'optimizer.momentun' is no setting; did you mean 'optimizer.momentum'?",
        "SR-CONFIG-004",
    ),
    ("seed: -1", "'seed': a seed is at least 0; -1 is negative", "SR-CONFIG-011"),
    ("seed: true", "'seed': a seed is an integer; true is a truth value", "SR-CONFIG-011"),
    ("seed: 7.0", "'seed': a seed is an integer; 7.0 is a number with a decimal point: write 7", "SR-CONFIG-011"),
    ('seed: "7"', "'seed': a seed is an integer; \"7\" is text: remove the quotes", "SR-CONFIG-011"),
    (f"seed: {2**128}", f"'seed': a seed is below 2^128; {2**128} is not", "SR-CONFIG-011"),
    ("schedule: cosine", "'schedule': a table with `kind` is wanted, such as {kind: ", "SR-CONFIG-005"),
    ("schedule: {floor: 1}", "'schedule': `kind` is missing: the name of one of the schedules", "SR-CONFIG-006"),
    ("schedule: {kind: 3}", "'schedule.kind': `kind` is 3, not text", "SR-CONFIG-006"),
    ("schedule: {kind: practice.parts:COSIN}", "'schedule.kind': practice.parts:COSIN is no part", "SR-PART-002"),
]


@pytest.mark.parametrize(("line", "sentence", "code"), CASES)
def test_each_fault_is_one_sentence_with_its_line(
    refused: Callable[..., ConfigError], line: str, sentence: str, code: str
) -> None:
    head = "trainer: practice.parts:TRAINER\nmodel: {kind: practice.parts:MLP}\n"
    error = refused(line + ("" if line.startswith("steps") else "\nsteps: 3") + "\n", head=head)
    assert error.what.startswith(sentence)
    assert error.code == code
    assert error.evidence == ("recipe.yaml:3",)
    assert error.do


@pytest.mark.parametrize(
    ("line", "sentence", "code"), [case for case in CASES if "{" not in case[0] and "[" not in case[0]]
)
def test_the_same_fault_by_a_setting_names_the_setting(
    refused: Callable[..., ConfigError], line: str, sentence: str, code: str
) -> None:
    setting = line.replace(": ", "=", 1)
    error = refused("", setting)
    assert (error.code, error.evidence) == (code, (f"-s {setting}",))
    assert error.what.startswith(sentence)


def test_all_problems_of_all_layers_come_at_once(refused: Callable[..., ConfigError]) -> None:
    error = refused("count: x\nrate: -0.0\nlabel: a\nlabel: b\ncuont: 1\nflag: no\n", "mode=slow", "nope", "seed=-1")
    assert error.code == "SR-CONFIG-001"
    places = [line.partition(": ")[0] for line in error.evidence]
    assert places == [f"recipe.yaml:{n}" for n in (4, 5, 7, 8, 9)] + ["-s mode=slow", "-s nope", "-s seed=-1"]


def test_an_integer_is_a_number_and_zero_is_a_share(resolved: Callable[..., Config]) -> None:
    config = resolved("rate: 3\n", "model.dropout=0")
    assert isinstance(config.plain["rate"], float)
    assert config.values.model.settings.dropout == 0.0  # type: ignore[attr-defined]


def test_what_is_missing_is_named_where_it_belongs(refused: Callable[..., ConfigError]) -> None:
    error = refused("", head="trainer: practice.parts:TRAINER\n")
    assert [line.partition(": ")[2] for line in error.evidence] == [
        "'model' is missing: it has no default [SR-CONFIG-006]",
        "'steps' is missing: it has no default [SR-CONFIG-006]",
    ]
    assert refused("checkpoint: {best: {metric: x}}\n").evidence == ("recipe.yaml:4",)


def test_what_a_new_kind_lacks_is_missing_because_of_that_setting(refused: Callable[..., ConfigError]) -> None:
    assert refused("", "trainer=practice.parts:NOWHERE").evidence == ("-s trainer=practice.parts:NOWHERE",)
    assert refused("", "model.kind=practice.parts:NOWHERE").evidence == ("-s model.kind=practice.parts:NOWHERE",)
    assert refused("", "model.kind=").evidence == ("-s model.kind=",)


def test_messages_stay_short_whatever_they_are_about(refused: Callable[..., ConfigError]) -> None:
    for error in (
        refused("", "a" * 999 + "=1"),
        refused("", "label=" + "1" * 300),
        refused("count: " + "x" * 999 + "\n"),
    ):
        assert max(map(len, str(error).splitlines())) < 400
