"""The verbs and the one line that `samerun --help` says of each. `--help` reads only this: no verb file is imported."""

from __future__ import annotations

VERBS: dict[str, str] = {
    "train": "Start a run, or go on with the one of that name.",
    "resume": "Go on with a run from its newest checkpoint.",
    "evaluate": "Evaluate a checkpoint; the record stays untouched.",
    "show": "Show one run: status, identity, metrics, size on disk.",
    "ls": "List runs.",
    "identity": "Every fact that makes two runs the same experiment.",
    "explain": "Where each config value comes from; what an error code means.",
    "streams": "The named streams of randomness, and what a run drew from each.",
    "verify": "Prove a run or a recipe, in fresh processes.",
    "diff": "Say whether two runs are the same, and what differed first.",
    "replay": "Make recorded steps again and compare them with their rows.",
    "trace": "The operations of one recorded step, with digests.",
    "pack": "Write a run into one file that can be given away.",
    "unpack": "Make a run folder of such a file, once it is verified.",
    "reproduce": "Make a run again elsewhere, from its own source and packages.",
    "export": "The environment of a run as pins, lock file or bill of materials.",
    "audit": "Say what in Python sources breaks a run.",
    "data": "Manifests of data: make, check and compare them, split by them.",
    "doctor": "Say what this machine can promise.",
    "parts": "List the installed parts and the distribution of each.",
    "gc": "Find old checkpoints and leftovers; delete them with -y.",
}
