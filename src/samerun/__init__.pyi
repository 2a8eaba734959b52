from samerun import audit as audit
from samerun import data as data
from samerun import streams as streams
from samerun import testing as testing
from samerun.config.explain import explain as explain
from samerun.config.parts import parts as parts
from samerun.errors import ConfigError as ConfigError
from samerun.errors import DamageError as DamageError
from samerun.errors import ExitCode as ExitCode
from samerun.errors import InternalError as InternalError
from samerun.errors import LockedError as LockedError
from samerun.errors import MissingError as MissingError
from samerun.errors import NoMatchError as NoMatchError
from samerun.errors import RefusedError as RefusedError
from samerun.errors import SamerunError as SamerunError
from samerun.errors import Stopped as Stopped
from samerun.errors import UsageError as UsageError
from samerun.judge.diff import diff as diff
from samerun.record.gc import gc as gc
from samerun.record.ls import ls as ls
from samerun.record.reader import RunRecord as RunRecord
from samerun.record.show import show as show
from samerun.rerun.evaluate import evaluate as evaluate
from samerun.rerun.export import export as export
from samerun.rerun.identity import identity as identity
from samerun.rerun.pack import pack as pack
from samerun.rerun.replay import replay as replay
from samerun.rerun.reproduce import reproduce as reproduce
from samerun.rerun.resume import resume as resume
from samerun.rerun.trace import trace as trace
from samerun.rerun.train import train as train
from samerun.rerun.unpack import unpack as unpack
from samerun.rerun.verify import verify as verify
from samerun.run.run import Run as Run
from samerun.run.start import start as start
from samerun.run.step import Step as Step
from samerun.streams.source import Streams as Streams
from samerun.tiers.doctor import diagnose as doctor

__all__ = [
    "ConfigError",
    "DamageError",
    "ExitCode",
    "InternalError",
    "LockedError",
    "MissingError",
    "NoMatchError",
    "RefusedError",
    "Run",
    "RunRecord",
    "SamerunError",
    "Step",
    "Stopped",
    "Streams",
    "UsageError",
    "audit",
    "data",
    "diff",
    "doctor",
    "evaluate",
    "explain",
    "export",
    "gc",
    "identity",
    "ls",
    "pack",
    "parts",
    "replay",
    "reproduce",
    "resume",
    "show",
    "start",
    "streams",
    "testing",
    "trace",
    "train",
    "unpack",
    "verify",
]
