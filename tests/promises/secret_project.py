"""A project full of planted secrets: one in every place where people leave them, each another text.

`plant` writes it; what a secret is planted in stands in its name. The loop of the script fails, stops or ends as its
arguments say.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

from secret_corpus import ALNUM, b64, issued, text

SCRIPT = '''
"""Trains a little. See https://reader:{docstring}@docs.example.org/x."""
import argparse
import os

import torch

import samerun
from helper import TABLE, login

# the old token was {comment}
PASSWORD = "{literal}"
DATABASE: str = "postgresql://me:{literal_url}@db/x"

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="data")
parser.add_argument("--api-key", default="")
parser.add_argument("--token", default="")
parser.add_argument("--fails", default="")
args = parser.parse_args()


class Items(torch.utils.data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, at):
        if args.fails == "loader" and at == 7:
            raise RuntimeError("worker: password={loader} is wrong")
        return torch.full((4,), float(at))


class Tell:
    def row(self, completed, target, row):
        raise OSError("https://sink:{sink}@metrics.example.org refused")

    def close(self):
        pass


def announce(completed):
    if args.fails == "hook":
        raise ConnectionError("POST https://hooks.example.org/?token={hook}")


def main():
    config = {{
        "data": args.data,
        "api_key": args.api_key,
        "flat_password": "{config_flat}",
        "nested": {{"auth": {{"clientSecret": "{config_nested}", "hosts": ["{config_list}"]}}}},
        "headers": [["Authorization", "{config_pair}"]],
        "database": "postgresql://me:{config_url}@db/x",
        "mirror": "https://b.s3.amazonaws.com/k?X-Amz-Signature={config_query}",
        "free": "{config_shape}",
        "num_memory_tokens": 16,
        "tokenizer": "gpt2",
    }}
    with samerun.start("canary", config=config, seed=7, checkpoint={{"every": 2}}, sinks=[Tell()]) as run:
        login(os.environ["SERVICE_TOKEN"])
        model = torch.nn.Linear(4, 1)
        optim = torch.optim.SGD(model.parameters(), 0.01)
        batches = run.loader(Items(), batch_size=4, num_workers=int(args.fails == "loader"))
        run.track(model=model, optim=optim, batches=batches)
        run.hook("announce", 2, announce)
        for step in run.steps(6):
            loss = model(next(batches)).square().mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            step.log(loss=loss)
            if args.fails == "body" and step.index == 2:
                words = "cannot reach https://me:{exception}@host/ with " + args.data
                raise ValueError(words + " as " + os.environ["SERVICE_TOKEN"])
            if args.fails == "values":
                run.values["note"] = "api_key={values}"
        with run.evaluation("val") as evaluation:
            evaluation.log(accuracy=1.0)


if __name__ == "__main__":
    main()
'''
HELPER = """
import forms

TABLE = {{"hub_token": "{helper}"}}


def login(token):
    assert token
"""


FORMS = """
import os

PASSWORD = f"{form_fstring}"
OTHER_PASSWORD = (
    "{form_parentheses}"
)
THIRD_PASSWORD = "plain words " "{form_half}"
password: str = "{form_annotated}"
SETTINGS = dict(api_key=b"{form_bytes}")
API_KEY = os.environ.get("SOME_API_KEY", "{form_fallback}")
SECRET_KEY = os.environ.get("SOME_API_KEY") or "{form_or}"
PAIR = ("password", "{form_pair}")
db_password = \"\"\"{form_triple}\"\"\"
"""
"""Each way of writing a secret into a file of Python that git tracks, and that was edited."""
TRACKED = "kind: plain\napi_key: {form_yaml}\n"
FORM_NAMES = ["fstring", "parentheses", "half", "annotated", "bytes", "fallback", "or", "pair", "triple", "yaml"]


NAMES = """
docstring literal literal_url loader sink hook config_flat config_nested config_list config_pair config_url exception
values helper argument argument_sign variable variable_listed variable_name remote dotenv query_path quoted
"""
"""Places that hold a text of no known shape."""


def secrets(seed: int) -> dict[str, str]:
    """Draw all that is planted in the script's project, by the place it stands in."""
    random = Random(seed)
    shaped = issued(random)
    names = [*NAMES.split(), *(f"form_{name}" for name in FORM_NAMES)]
    found = {name: "zq" + text(random, ALNUM, 22) for name in names}
    found["config_flat"] = "horse & Stäpel, " + text(random, ALNUM, 10)
    found["config_query"] = text(random, "0123456789abcdef", 64)
    found["comment"] = shaped["github classic"]
    found["config_shape"] = shaped["hugging face"]
    found["variable_shape"] = shaped["openai project"]
    found["branch"] = shaped["gitlab"]
    found["untracked"] = b64(random, 33)
    return found


def plant(project: Path, found: dict[str, str]) -> None:
    """Write the project and its repository."""
    project.mkdir(parents=True)
    (project / "pyproject.toml").write_text('[project]\nname = "canary"\n', encoding="utf-8")
    (project / "helper.py").write_text(HELPER.format(helper="before"), encoding="utf-8")
    (project / "forms.py").write_text("PASSWORD = None\n", encoding="utf-8")
    (project / "tracked.yaml").write_text("kind: plain\n", encoding="utf-8")
    (project / "train.py").write_text(SCRIPT.format(**found), encoding="utf-8")
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "begin")
    git(project, "remote", "add", "origin", f"https://bob:{found['remote']}@github.com/o/r.git")
    git(project, "checkout", "-qb", f"try-{found['branch']}")
    (project / "helper.py").write_text(HELPER.format(**found), encoding="utf-8")
    (project / "forms.py").write_text(FORMS.format(**found), encoding="utf-8")
    (project / "tracked.yaml").write_text(TRACKED.format(**found), encoding="utf-8")
    (project / ".env").write_text(f"DB_PASSWORD={found['dotenv']}\n", encoding="utf-8")
    (project / "key.pem").write_text(f"-----BEGIN PRIVATE KEY-----\n{found['untracked']}\n", encoding="utf-8")


def git(folder: Path, *arguments: str) -> None:
    """Run git."""
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def environment(found: dict[str, str], home: Path) -> dict[str, str]:
    """Return the variables under which commands run: secrets on the list of what is recorded, and off it."""
    return {
        "HOME": str(home),
        "USER": "alicia7",
        "LOGNAME": "alicia7",
        "SERVICE_TOKEN": found["variable"],
        "TORCH_API_TOKEN": found["variable_listed"],
        "MKL_PASSWORD": found["variable_name"],
        "OMP_NOTE": f"key is {found['variable_shape']}",
        "OMP_NUM_THREADS": "1",
    }
