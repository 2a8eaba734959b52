"""A secret written into source does not reach the snapshot; code, and what only sounds like a secret, stays."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from samerun.base.digest import sha256
from samerun.errors import RefusedError
from samerun.record import layout
from samerun.record.bundle.leaks import check_leaks
from samerun.record.bundle.members import member_of_bytes
from samerun.record.git.ask import Git as Asked
from samerun.record.git.patch import patch_of
from samerun.record.git.tree import status_of, work_tree
from samerun.record.left_out import SECRET, LeftOut, with_digests
from samerun.record.scrub import clean_source, secret_lines
from samerun.record.snapshot import snapshot_tar
from samerun.record.source import SourceFile
from samerun.record.stored import stored_files

Git = Callable[..., str]

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7"


@pytest.mark.parametrize(
    "line",
    [
        f'login(token="{TOKEN}")',
        f"x = '{TOKEN}'",
        f'url = "https://user:{TOKEN}@example.org/x"',
        'password = "correct horse 1"',
        'config = {"api_key": "0123456789abcdef0123"}',
        'api_key: str = "correct horse 1"',
        'os.environ["HF_TOKEN"] = "correct horse 1"',
        'key = os.environ.get("HF_API_KEY", "correct horse 1")',
        'if password == "correct horse 1": pass',
        f'"""A docstring with {TOKEN} in it."""',
        f'f"{{x}} {TOKEN}"',
        f"x = 1  # {TOKEN}",
        f'x = """first\n{TOKEN}\nlast"""',
    ],
)
def test_a_secret_is_replaced_and_the_code_still_parses(line: str) -> None:
    before, after = "import a\n\n", "\ny = 'kept'\n"
    clean, count = clean_source("x.py", (before + line + after).encode())
    text = clean.decode()
    assert count == 1
    assert TOKEN not in text and "horse" not in text and "0123456789abcdef" not in text
    assert text.startswith(before) and text.endswith(after)
    assert text.count("\n") == (before + line + after).count("\n")
    ast.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "num_memory_tokens = 16\ntokenizer = 'gpt2'\npad_token = '[PAD]'\neos_token = '<|endoftext|>'\n",
        "password = getpass()\napi_key = os.environ['KEY']\n",
        "token = 'env:HF_TOKEN'\n",
        "f('api_key', 3)\nx: str = 'plain'\nassert name == 'token'\nf(password, 'x')\n",
        "key = lambda pair: pair[0]\nsorted(x, key='loss')\n",
        "",
        "x = 1\r\ny = 2\r\n",
    ],
)
def test_what_only_sounds_like_a_secret_stays_to_the_byte(text: str) -> None:
    assert clean_source("x.py", text.encode()) == (text.encode(), 0)


def test_several_secrets_on_one_line_are_all_replaced() -> None:
    clean, count = clean_source("x.py", f"a = '{TOKEN}', f(password='hunter2hunter2'), '{TOKEN}'\n".encode())
    assert clean.decode() == 'a = "[redacted]", f(password="[redacted]"), "[redacted]"\n'
    assert count == 3


def test_text_that_is_no_python_is_searched_by_shape() -> None:
    clean, count = clean_source("x.py", f"+def f(:\n+  '{TOKEN}\n".encode())
    assert count == 1 and TOKEN.encode() not in clean
    assert clean_source("x.py", b"\xff\xfe binary") == (b"\xff\xfe binary", 0)


def test_the_commands_of_a_notebook_are_searched_too() -> None:
    clean, count = clean_source(
        "x.py", b"x = 1\n%env HF_TOKEN=abcd1234\n  !curl -u me:hunter22 https://h\ny = 7 \\\n  % 3\n"
    )
    assert clean == b"x = 1\n%env HF_TOKEN=[redacted]\n  !curl -u [redacted] https://h\ny = 7 \\\n  % 3\n"
    assert count == 2


def test_a_form_feed_moves_no_line() -> None:
    clean, count = clean_source("x.py", f"\x0cx = 1\n\x0cy = '{TOKEN}'  # \u2028\nz = 2\n".encode())
    assert clean.decode() == '\x0cx = 1\n\x0cy = "[redacted]"  # \u2028\nz = 2\n' and count == 1


HONEST = [
    'api_key = os.environ["OPENAI_API_KEY"]',
    "token = get_token(request)",
    "self.api_key = config.api_key",
    "password = getpass.getpass()",
    "secrets = [s for s in found]",
    'x = {"api_key": api_key}',
    "# token = get_token(request)",
]
FORMS = {
    "annotated": ("x.py", 'password: str = "hunter2hunter2"\n'),
    "fallback": ("x.py", 'key = os.environ.get("OPENAI_API_KEY", "hunter2hunter2")\n'),
    "triple": ("x.py", 'password = """hunter2hunter2"""\n'),
    "pair": ("x.py", 'x = ("password", "hunter2hunter2")\n'),
    "f-string": ("x.py", 'PASSWORD = f"hunter2hunter2"\n'),
    "parentheses": ("x.py", 'PASSWORD = (\n    "hunter2hunter2"\n)\n'),
    "bytes": ("x.py", 'f(api_key=b"hunter2hunter2")\n'),
    "second half": ("x.py", 'PASSWORD = "words " "hunter2hunter2"\n'),
    "yaml": ("x.yaml", "api_key: hunter2hunter2\n"),
    "shell": ("x.sh", "export API_KEY=hunter2hunter2\n"),
    "text": ("x.txt", "my password = hunter2hunter2\n"),
    "latin": ("x.py", 'name = "\xe9"\npassword = "hunter2hunter2"\n'),
}
WORD = b"hunter2hunter2"


def bytes_of(form: str) -> tuple[str, bytes]:
    label, text = FORMS[form]
    return label, text.encode("latin-1")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_found_in_what_is_stored_packed_and_left_out(form: str, tmp_path: Path) -> None:
    label, data = bytes_of(form)
    file = SourceFile("user", label, "bytes", sha256(data), sha256(data), len(data), text=data)
    stored = stored_files([file])
    assert WORD not in stored.contents[f"user/{label}"] and not stored.is_whole(f"user/{label}")
    assert clean_source(label, stored.contents[f"user/{label}"])[1] == 0
    check_leaks(member_of_bytes(f"run/{layout.SOURCE_FILES}", snapshot_tar(stored.contents)))
    for name, text in ((layout.SOURCE_FILES, snapshot_tar({f"user/{label}": data})), (layout.SOURCE_PATCH, new(data))):
        with pytest.raises(RefusedError, match="SR-BUNDLE-005"):
            check_leaks(member_of_bytes(f"run/{name}", text.replace(b"NAME", label.encode())))
    (tmp_path / label).write_bytes(data)
    (left,) = with_digests([LeftOut(label, len(data), "untracked", False, place=tmp_path / label)])
    assert left.digest is None


def new(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    head = b"diff --git a/NAME b/NAME\n--- /dev/null\n+++ b/NAME\n@@ -0,0 +1,%d @@\n" % len(lines)
    return head + b"".join(b"+" + line for line in lines)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_in_no_patch(form: str, repository: Path, git: Git) -> None:
    label, data = bytes_of(form)
    (repository / label).write_bytes(data)
    (repository / "staged.py").write_bytes(b"x = 2\n")
    git(repository, "add", ".")
    tree, _ = work_tree(repository, Asked.until())
    assert tree is not None
    added = patch_of(tree, status_of(tree))
    git(repository, "commit", "-q", "-m", "held")
    (repository / label).write_bytes(b"nothing\n")
    taken = patch_of(tree, status_of(tree))
    assert WORD not in added.data + taken.data and b"+x = 2" in added.data
    assert [row.reason for row in (*added.left_out, *taken.left_out)] == [SECRET, SECRET]


def test_honest_lines_are_in_the_patch_and_stored_to_the_byte(repository: Path, git: Git) -> None:
    text = "".join(f"{line}\n" for line in HONEST).encode()
    assert clean_source("x.py", text) == (text, 0)
    (repository / "same.py").write_bytes(text)
    tree, _ = work_tree(repository, Asked.until())
    assert tree is not None
    found = patch_of(tree, status_of(tree))
    assert found.left_out == () and b"+token = get_token(request)" in found.data
    check_leaks(member_of_bytes(f"run/{layout.SOURCE_PATCH}", found.data))


def test_lines_of_a_secret_are_numbered() -> None:
    assert secret_lines("x.py", b'a = 1\nPASSWORD = (\n "hunter2"\n "hunter3")\nb = f(api_key="hunter2")\n') == {
        3,
        4,
        5,
    }
    assert secret_lines("x.py", b'a = 1\npassword = """x\ny"""\n') == {2, 3}


def test_what_does_not_parse_and_a_script_without_an_ending_are_python_too() -> None:
    broken = b"  x\n y\npassword: str = 'hunter2hunter2'\napi_key = os.environ['X']\n\xef\xbb\xbf'''\n"
    clean, count = clean_source("x.py", broken)
    assert count == 1 and b"hunter2" not in clean
    assert clean_source("bin/run", b"#!/usr/bin/env python3\nf(api_key=b'hunter2hunter2')\n")[1] == 1
    assert clean_source("x.py", b"\xef\xbb\xbfpassword = 'hunter2'\n")[0] == b'\xef\xbb\xbfpassword = "[redacted]"\n'
    assert clean_source("x.py", b"!echo don't\npassword: str = 'hunter2hunter2'\n")[1] == 1
