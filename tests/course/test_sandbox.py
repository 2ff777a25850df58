"""What runs in the room sees Python and its own folder, and nothing else."""

import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep

import psutil
import pytest

from grading import sandbox
from grading.sandbox import MIB

pytestmark = [pytest.mark.graded, pytest.mark.usefixtures("locked")]


WRITTEN = ("out", "kernel", "home", "/tmp", "/dev/shm")  # an absolute one is itself, wherever the room is


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
    name = f"written-in-{room.name}"  # the host's /tmp may hold any other
    code = f"import pathlib; pathlib.Path({{!r}}, {name!r}).write_text('x')"
    for folder in (sys.prefix, room / "in", "/usr", "/", "/dev", Path(sys.prefix).glob("lib/*/site-packages/sklearn")):
        folder = folder if isinstance(folder, str | Path) else next(folder)
        assert "Error" in run(room, code.format(str(folder)), hidden=["sklearn"]).stderr, folder
    for folder in WRITTEN:
        assert run(room, code.format(str(room / folder))).stderr == "", folder
        assert not (room / folder / name).exists(), "it is in memory, and ends with the processes"


def test_the_grader_reaches_what_a_process_writes_while_it_runs(room):
    code = f"open({str(room / 'out' / 'reply')!r}, 'w').write('here'); import time; time.sleep(60)"
    with subprocess.Popen([*sandbox.command(room), sys.executable, "-c", code]) as process:
        for _ in range(300):
            seen = sandbox.inside(process.pid, room)
            if seen and (seen / "out" / "reply").exists() and (seen / "out" / "reply").read_text(encoding="utf-8"):
                break
            sleep(0.1)
        assert (seen / "out" / "reply").read_text(encoding="utf-8") == "here"
        process.kill()
    assert sandbox.inside(process.pid, room) is None


def test_all_files_together_have_256_mib_wherever_they_are(room):
    code = f"""
import os
room, most = {str(room)!r}, 0
folders = [folder for folder, _, _ in os.walk('/') if os.access(folder, os.W_OK) and not folder.startswith('/proc')]
for folder in folders:
    for i in range(20):
        try:
            with open(f'{{folder}}/large-{{i}}', 'wb') as file:
                for _ in range(30):
                    most += os.write(file.fileno(), bytes(2**20))
        except OSError:
            break
print(*folders)
print(most)
"""
    folders, most = run(room, code).stdout.splitlines()
    assert set(folders.split()) == {str(room / folder) for folder in WRITTEN}
    assert 200 * MIB < int(most) <= 256 * MIB


@pytest.mark.parametrize(
    "call",
    [
        "os.memfd_create('x')",
        "libc.shmget(0, 2**20, 0o1600)",
        "libc.unshare(0x10000000)",
        "libc.msgget(0, 0o1600)",
        "libc.semget(0, 30_000, 0o1600)",
    ],
)
def test_memory_that_no_limit_counts_is_refused(room, call):
    code = f"import ctypes, os; libc = ctypes.CDLL(None)\nif {call} == -1: raise OSError"
    assert "OSError" in run(room, code).stderr or "PermissionError" in run(room, code).stderr


def test_pools_of_processes_and_threads_work(room):
    code = "import multiprocessing, threading\nthreading.Thread(target=print).start()\n"
    code += "with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, 2]))"
    assert "[1, 2]" in run(room, code).stdout


@pytest.mark.parametrize("machine", sandbox.REFUSED)
def test_the_filter_of_calls_says_what_is_refused(machine):
    kind, socket, numbers = sandbox.REFUSED[machine]
    program = sandbox.call_filter(machine)
    assert all(not allowed(program, kind, number) for number in [*numbers, 0x40000000])
    assert all(allowed(program, kind, number) for number in range(500) if number not in [*numbers, socket])
    assert [family for family in range(50) if allowed(program, kind, socket, family)] == sandbox.SOCKETS
    assert not allowed(program, kind ^ 1, 0), "in the words of another kind of processor"
    assert sandbox.call_filter("riscv64") == b""


def allowed(program, kind, number, argument=0):
    """Whether a call is allowed, as Linux reads the program."""
    at, value, call = 0, 0, {0: number, 4: kind, 16: argument}
    while True:
        code, then, otherwise, operand = struct.unpack("<HBBI", program[8 * at : 8 * at + 8])
        if code == 0x06:
            return operand == 0x7FFF0000
        if code == 0x20:
            value, at = call[operand], at + 1
        else:
            holds = value == operand if code == 0x15 else value >= operand
            at += 1 + (then if holds else otherwise)


def test_a_socket_that_leads_out_of_any_room_is_refused(room):
    assert "PermissionError" in run(room, "import socket; socket.socket(40, socket.SOCK_STREAM)").stderr
    assert run(room, "import socket; socket.socketpair(); socket.socket(); print('here')").stdout == "here\n"


def test_folders_in_which_others_handed_in_look_empty(room, tmp_path):
    shared = tmp_path / "shared"
    (shared / "course" / "submitted").mkdir(parents=True)
    code = "import os; print(os.path.exists({!r}), os.listdir('/usr/local/share'))"
    handed_in = str(shared / "course" / "submitted")
    assert run(room, code.format(handed_in), shown=[shared]).stdout == "True []\n"
    assert run(room, code.format(handed_in), shown=[shared], closed=[shared / "course"]).stdout == "False []\n"


def test_a_room_goes_however_deep_its_folders_are(tmp_path):
    code = "import os\nfor i in range(3000):\n    os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    sandbox.remove_room(tmp_path)
    assert not tmp_path.exists()


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
    run(room, "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.fork() or time.sleep(98765)")
    running = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    assert not [words for words in running if "time.sleep(98765)" in words]
