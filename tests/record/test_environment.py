"""The environment: what a reader of the record needs, and nothing that tells where or by whom it was made."""

import getpass
import importlib.metadata
import json
import os
import re
import socket
import sys
from pathlib import Path

import pytest

from samerun.base.sealed import read_sealed
from samerun.record import layout
from samerun.record.environment import environment_document, variables, write_environment

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


def test_the_document_survives_the_disk(tmp_path: Path) -> None:
    write_environment(tmp_path, tmp_path)
    document = read_sealed(tmp_path / layout.ENVIRONMENT)
    assert document["python"]["version"] == sys.version.split()[0]
    assert document["distributions"]["numpy"]["version"] == importlib.metadata.version("numpy")
    assert document["cpu"]["num_usable"] >= 1 and document["locale"]["encoding"]


def test_lock_files_of_the_project_are_there_and_what_is_unknown_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text("version = 1\n")
    document = environment_document(tmp_path)
    assert list(document["lock_files"]) == ["uv.lock"]
    for section in ("python", "system", "cpu", "libraries", "accelerator", "threads"):
        unknown = [f"{section}.{name}" for name, value in document[section].items() if value is None]
        assert set(unknown) <= document["reasons"].keys()


def test_only_listed_variables_are_written() -> None:
    environ = {
        "MKL_CBWR": "AVX2",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "2",
        "NVIDIA_TF32_OVERRIDE": "0",
        "HOME": "/home/canary",
        "USER": "canary",
        "HOSTNAME": "canary",
        "AWS_SECRET_ACCESS_KEY": "canary",
        "SLURM_JOB_USER": "canary",
        "PATH": "/canary",
    }
    assert variables(environ) == {
        "MKL_CBWR": "AVX2",
        "NVIDIA_TF32_OVERRIDE": "0",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "2",
    }


@pytest.mark.parametrize(
    "value", ["/home/canary/x", "~/canary", "a:/home/canary", "path=/canary", "C:\\canary", "file:///home/canary"]
)
def test_a_value_that_tells_a_place_is_replaced(value: str) -> None:
    assert variables({"TORCH_HOME": value}) == {"TORCH_HOME": "[local path]"}


@pytest.mark.parametrize("value", ["max_split_size_mb:128", ":4096:8", "0,1", "a/b", "INFO"])
def test_a_value_that_tells_no_place_stays(value: str) -> None:
    assert variables({"PYTORCH_ALLOC_CONF": value}) == {"PYTORCH_ALLOC_CONF": value}


def test_a_secret_in_a_listed_variable_is_redacted() -> None:
    found = variables({"TORCH_TOKEN": TOKEN, "OMP_X": f"a,{TOKEN}"})
    assert TOKEN not in json.dumps(found) and "[redacted]" in json.dumps(found)


def test_a_variable_whose_name_says_secret_is_redacted_whatever_its_value() -> None:
    found = variables({"TORCH_TOKEN": "plainword", "SLURM_JOB_AUTH": "x", "CUDA_API_KEY": "/a/b", "TOKENIZERS_X": "y"})
    assert found == {
        "CUDA_API_KEY": "[redacted]",
        "SLURM_JOB_AUTH": "[redacted]",
        "TOKENIZERS_X": "y",
        "TORCH_TOKEN": "[redacted]",
    }


def test_the_document_tells_neither_host_nor_user_nor_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        monkeypatch.setenv(f"TORCH_CANARY_{name}", os.environ[name])
    text = json.dumps(environment_document(tmp_path))
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    assert not [found for found in strings if found.startswith(("/", "~"))]
    for private in (str(tmp_path), str(Path.home()) + "/", sys.prefix, os.getcwd()):
        assert private not in text
    words = set(re.findall(r"[A-Za-z0-9_.-]+", text))
    assert socket.gethostname() not in words
    if getpass.getuser() != "root":
        assert getpass.getuser() not in words
