"""Pairs of runs that are equal: whatever is told about them is a false alarm."""

from __future__ import annotations

from expected import Equal

RECIPE = "recipe.yaml"

EQUAL = (
    Equal("another name"),
    Equal("an aside value of the config", b=("--aside", "a remark")),
    Equal("checkpoint cadence 3", settings=("-s", "checkpoint.every=3")),
    Equal("no checkpoint on the way", settings=("-s", "checkpoint.every=1000")),
    Equal("a thinned trail", settings=("-s", "trail.state_every=5")),
    Equal("a trail without states", settings=("-s", "trail.state_every=0")),
    Equal("workers 0 and 2", a=("--mapped",), b=("--mapped", "--workers", "2")),
    Equal("workers 1 and 2", a=("--mapped", "--workers", "1"), b=("--mapped", "--workers", "2")),
    Equal("the same fault on both sides", a=("--fault", "flip"), b=("--fault", "flip")),
    Equal("PYTHONHASHSEED", how="fresh", variables={"PYTHONHASHSEED": "12345"}),
    Equal("time zone and language", how="fresh", variables={"TZ": "XXX-05:45", "LANG": "C", "LC_ALL": "C"}),
    Equal("an unrelated variable", how="fresh", variables={"EDITOR": "ed", "OMP_DISPLAY_ENV": "FALSE"}),
    Equal("another working folder", how="elsewhere"),
    Equal("stopped at 6 and resumed", how="stop 6"),
    Equal("stopped at the end of an epoch and resumed", how="stop 8"),
    Equal("stopped three times", how="stop 1 5 9"),
    Equal("kill -9 and resumed", how="kill 7"),
    Equal("kill -9 with workers, and resumed", a=("--mapped",), b=("--mapped", "--workers", "2"), how="kill 9"),
    Equal("a comment in user code", edit=("loop.py", "def main(run):", "def main(run):  # a remark")),
    Equal("recipe: another name", subject=RECIPE),
    Equal("recipe: workers 0 and 2", subject=RECIPE, b=("workers=2",)),
    Equal("recipe: workers 1 and 2", subject=RECIPE, a=("workers=1",), b=("workers=2",)),
    Equal("recipe: evaluation at other steps", subject=RECIPE, b=("evaluate.every=4",)),
    Equal("recipe: evaluation every 3 and 5", subject=RECIPE, a=("evaluate.every=3",), b=("evaluate.every=5",)),
    Equal("recipe: recheck every 3", subject=RECIPE, b=("recheck_every=3",)),
    Equal("recipe: checkpoint cadence and keeping", subject=RECIPE, b=("checkpoint.every=2", "checkpoint.keep=2")),
    Equal("recipe: PYTHONHASHSEED", subject=RECIPE, how="fresh", variables={"PYTHONHASHSEED": "12345"}),
    Equal("recipe: stopped at 5 and resumed", subject=RECIPE, how="stop 5"),
    Equal("recipe: stopped twice, with workers", subject=RECIPE, b=("workers=2",), how="stop 3 8"),
    Equal("recipe: kill -9 and resumed", subject=RECIPE, how="kill 6"),
    Equal("recipe: trained to 8, then on to 12", subject=RECIPE, how="on 8"),
    Equal("recipe: another working folder", subject=RECIPE, how="elsewhere"),
    Equal("convolutions: another name", subject="conv.yaml"),
)
