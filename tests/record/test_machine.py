"""Python, system, processor, libraries, threads and language: real values, and a reason for each that is unknown."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys

from samerun.record.machine import locale_facts, machine_facts, python_facts


def test_the_facts_are_those_of_this_process() -> None:
    found = machine_facts().sections
    assert found["python"]["version"] == platform.python_version()
    assert found["cpu"]["num_usable"] == len(os.sched_getaffinity(0))
    assert found["libraries"]["torch"]["version"].startswith("2.") and "capability" not in found["libraries"]["torch"]
    assert found["cpu"]["torch_capability"] and isinstance(found["accelerator"]["gpus"], list)


def test_a_virtual_environment_and_the_build_are_told() -> None:
    facts = python_facts()
    assert facts["is_virtual"] is (sys.prefix != sys.base_prefix)
    assert (facts["is_debug"], facts["is_free_threaded"]) == (False, False)
    assert facts["compiler"] == platform.python_compiler()


def test_every_null_has_its_reason() -> None:
    found = machine_facts()
    nulls = {f"{section}.{name}" for section, facts in found.sections.items() for name in facts if facts[name] is None}
    assert nulls == set(found.reasons)


def test_language_and_encoding_are_those_that_python_understood() -> None:
    code = "import json, samerun.record.machine as m; print(json.dumps(m.locale_facts()))"
    environ = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["ctype"] == "C" and locale_facts()["filesystem_encoding"] == "utf-8"


def test_threads_are_null_before_anything_was_loaded_and_numbers_after() -> None:
    code = (
        "import json, samerun.record.machine as m; a = m.machine_facts().sections['threads']; import torch;"
        "torch.set_num_threads(1); print(json.dumps([a, m.machine_facts().sections['threads']]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    assert set(before.values()) == {None} and after["torch"] == 1


def test_neither_host_nor_serial_is_told() -> None:
    text = json.dumps(machine_facts().sections)
    assert f'"{socket.gethostname()}"' not in text and "serial" not in text and "/" not in text.replace("N/A", "")
