"""Will I get the same run twice? The public names, each imported when it is first used.

`import samerun` loads neither torch nor NumPy nor anything else of weight. `__init__.pyi` is the same list for type
checkers; a test holds them equal. Every verb of the command line is a function here, spelled the same.
"""

from importlib import import_module

_HOMES = {
    "start": "samerun.run.start:start",
    "Run": "samerun.run.run:Run",
    "Step": "samerun.run.step:Step",
    "Streams": "samerun.streams.source:Streams",
    "RunRecord": "samerun.record.reader:RunRecord",
    "train": "samerun.rerun.train:train",
    "resume": "samerun.rerun.resume:resume",
    "evaluate": "samerun.rerun.evaluate:evaluate",
    "show": "samerun.record.show:show",
    "ls": "samerun.record.ls:ls",
    "identity": "samerun.rerun.identity:identity",
    "explain": "samerun.config.explain:explain",
    "verify": "samerun.rerun.verify:verify",
    "diff": "samerun.judge.diff:diff",
    "replay": "samerun.rerun.replay:replay",
    "trace": "samerun.rerun.trace:trace",
    "pack": "samerun.rerun.pack:pack",
    "unpack": "samerun.rerun.unpack:unpack",
    "reproduce": "samerun.rerun.reproduce:reproduce",
    "export": "samerun.rerun.export:export",
    "doctor": "samerun.tiers.doctor:diagnose",
    "parts": "samerun.config.parts:parts",
    "gc": "samerun.record.gc:gc",
    "Stopped": "samerun.errors:Stopped",
    "ExitCode": "samerun.errors:ExitCode",
    "SamerunError": "samerun.errors:SamerunError",
    "UsageError": "samerun.errors:UsageError",
    "ConfigError": "samerun.errors:ConfigError",
    "RefusedError": "samerun.errors:RefusedError",
    "MissingError": "samerun.errors:MissingError",
    "NoMatchError": "samerun.errors:NoMatchError",
    "DamageError": "samerun.errors:DamageError",
    "LockedError": "samerun.errors:LockedError",
    "InternalError": "samerun.errors:InternalError",
}
_FOLDERS = ("audit", "data", "streams", "testing")
"""Modules that are public as they are; the verbs of these names live inside their folders (audit/scan.py,
data/manifest.py and beside it, streams/listing.py)."""

__all__ = [*_HOMES, *_FOLDERS]


def __getattr__(name: str) -> object:
    if name in _FOLDERS:
        return import_module(f"samerun.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'samerun' has no attribute {name!r}")
    module, _, attribute = home.partition(":")
    value: object = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
