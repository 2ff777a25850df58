"""What runs in the room sees Python and its own folder, and nothing else."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from grading import sandbox

pytestmark = [pytest.mark.graded, pytest.mark.usefixtures("locked")]


@pytest.fixture
def room():
    with tempfile.TemporaryDirectory(prefix="room-") as folder:
        sandbox.make_room(Path(folder))
        yield Path(folder)


def run(room, code, **options):
    """The answer of some Python code in the room."""
    words = [*sandbox.command(room, **options), sys.executable, "-c", code]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def test_python_and_numpy_work(room):
    assert run(room, "import numpy, scipy; print(numpy.ones(3).sum())").stdout == "3.0\n"


def test_the_course_and_the_homes_of_others_are_not_there(room):
    here = Path(__file__).resolve()
    for path in (here, sandbox.__file__, Path.home() / ".bashrc", "/etc/shadow", "/var"):
        assert run(room, f"import os; print(os.path.exists({str(path)!r}))").stdout == "False\n", path


def test_only_its_own_folders_can_be_written(room):
    code = "import pathlib, sys; pathlib.Path({!r}, 'x').write_text('x')"
    for folder in (sys.prefix, room / "in", "/usr", "/"):
        assert "Error" in run(room, code.format(str(folder))).stderr, folder
    run(room, code.format(str(room)))
    assert not (room / "x").exists(), "inside the room, the folder is a different one"
    assert run(room, code.format(str(room / "out"))).stderr == ""
    assert (room / "out" / "x").read_text(encoding="utf-8") == "x"
    assert run(room, code.format(str(room / "home"))).stderr == "" and not list((room / "home").iterdir())


def test_there_is_no_network(room):
    code = "import socket; socket.create_connection(('127.0.0.1', {}), timeout=2)"
    with __import__("socket").create_server(("127.0.0.1", 0)) as server:
        answer = run(room, code.format(server.getsockname()[1]))
    assert "OSError" in answer.stderr or "refused" in answer.stderr or "unreachable" in answer.stderr


def test_hidden_packages_are_missing_and_others_are_not(room):
    answer = run(room, "import matplotlib\nfrom sklearn import decomposition", hidden=["sklearn"])
    assert "cannot import name 'decomposition'" in answer.stderr


def test_a_package_elsewhere_can_be_shown(room):
    package = Path(__file__).resolve().parents[2] / "dimred_lessons"
    answer = run(room, f"import os; print(*os.listdir({str(package.parent)!r}))", shown=[package])
    assert set(answer.stdout.split()) - {Path(sys.prefix).name} == {"dimred_lessons"}, "more than it and Python"


@pytest.mark.parametrize(
    "code, complaint",
    [
        ("bytearray(6 * 2**30)", "MemoryError"),
        ("open('x', 'wb').write(bytes(100 * 2**20))", "too large"),
        ("[open('/dev/null') for _ in range(1000)]", "Too many open files"),
        (
            "import os\nfor _ in range(500):\n    if os.fork() == 0: import time; time.sleep(5); os._exit(0)",
            "unavailable",
        ),
    ],
    ids=["memory", "a file", "open files", "processes"],
)
def test_resources_are_limited(room, code, complaint):
    assert complaint in run(room, code).stderr


def test_computation_ends_after_its_time(room):
    limits = sandbox.LIMITS | {"cpu": 1}
    assert run(room, "while True: pass", limits=limits).returncode != 0


def test_the_user_has_no_name_and_cannot_become_another(room):
    assert int(run(room, "import os; print(os.getuid())").stdout) in {*sandbox.NAMELESS, sandbox.NOBODY}
    assert "Error" in run(room, "import os; os.setuid(0)").stderr


def test_too_many_processes_in_one_room_leave_enough_for_another(room, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    sandbox.make_room(other)
    code = "import os, time\ntry:\n    while os.fork(): pass\nexcept OSError: print('full', flush=True)\ntime.sleep(60)"
    with subprocess.Popen([*sandbox.command(room), sys.executable, "-c", code], stdout=subprocess.PIPE) as crowd:
        assert crowd.stdout.readline() == b"full\n"
        assert run(other, "import os; os.fork() and os.wait(); print('here')").stdout == "here\nhere\n"
        crowd.kill()


def test_processes_end_with_the_room(room):
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(2); open('{0}/late', 'w').close()"
    run(room, code.format(room / "out"))
    subprocess.run(["sleep", "2.5"], check=True)
    assert not (room / "out" / "late").exists()
