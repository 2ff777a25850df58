"""A locked room for the code of students: no network, no file but its own, limited memory, processes and time.

The room is made by bubblewrap (what Flatpak uses) with the system calls of Linux; `prlimit` sets the limits. As
root, the code runs as a user of its own for each room, because the system counts the processes of a user in all rooms
together; otherwise it runs as the user of the grader in its own namespace.

What the code writes lies in memory, in folders of a fixed size that end with its processes; the grader reaches them
through the process itself (`inside`).
"""

import os
import platform
import secrets
import struct
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from time import sleep

import psutil

MIB = 2**20
PYTHON = os.path.abspath(sys.executable)  # noqa: PTH100 - no "..", which a room may not have; links stay
ATTEMPTS = 10  # to remove a room
NOBODY = 65534
NAMELESS = range(61184, 65184)  # users without a name, whom systems lend to services
LIMITS = {
    "as": 4096 * MIB,  # memory of one process
    "nproc": 64,  # processes and threads
    "fsize": 64 * MIB,  # one file
    "nofile": 256,  # open files
    "core": 0,  # dump after a crash
    "cpu": 900,  # seconds of computation
}
SPACE = {"/dev/shm": 15, "/tmp": 8, "kernel": 1, "out": 24, "home": 208}  # MiB for files: 256 together
MOST_FILES = 20_000  # each takes a kilobyte of the system's memory, however empty, which no limit of the system counts
MOST_MEMORY = 4096 * MIB  # of all processes in a room together, which no limit of the system counts
UBUNTU = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")  # its rule against rooms
CLOSED = [Path("/usr/local/share")]  # there, JupyterHub keeps what all students handed in
SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]


# Numbers of the calls by which a program gets memory that no limit counts, or folders of its own; by the kind of
# processor, with Linux's number for it, and that of the call by which it gets a socket.
REFUSED = {
    "x86_64": (
        0xC000003E,
        41,
        [29, 64, 68, 165, 248, 249, 250, 272, 298, 308, 319, 321, 323, 425, 428, 429, 430, 432, 447],
    ),
    "aarch64": (
        0xC00000B7,
        198,
        [40, 97, 186, 190, 194, 217, 218, 219, 241, 268, 279, 280, 282, 425, 428, 429, 430, 432, 447],
    ),
}


SOCKETS = [1, 2, 10, 16]  # Unix, internet and netlink: others, such as those to a machine's host, leave the room


def make_room(folder):
    """The folders of a room: "in" can be read there; "out", "kernel" and "home" can be written, and are in memory."""
    folder.chmod(0o755)  # the user of the room cannot rename or link anything in the folder itself
    user = secrets.choice(NAMELESS)
    for name in ("in", "out", "kernel", "home"):
        (folder / name).mkdir()
        if os.getuid() == 0 and name != "in":
            os.chown(folder / name, user, user)
    (folder / "filter").write_bytes(call_filter())


def call_filter(machine=None):
    """The program by which Linux refuses `REFUSED` calls, sockets of kinds other than `SOCKETS`, and all calls in the
    words of another kind of processor.
    """
    machine = machine or platform.machine()
    if machine not in REFUSED:
        return b""
    kind, socket, numbers = REFUSED[machine]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    steps = [(load, 0, 0, 4), (equal, 1, 0, kind), (answer, 0, 0, 0x50001), (load, 0, 0, 0)]
    tests = [(at_least, 0x40000000), *((equal, number) for number in numbers)]
    more = 2 + len(SOCKETS)  # steps on sockets
    steps += [(test, len(tests) - i - 1 + more, 0, number) for i, (test, number) in enumerate(tests)]
    steps += [(equal, 0, more, socket), (load, 0, 0, 16)]  # which kind of socket is the first argument
    steps += [(equal, len(SOCKETS) - i, 0, number) for i, number in enumerate(SOCKETS)]
    steps += [(answer, 0, 0, 0x50001), (answer, 0, 0, 0x7FFF0000)]  # "operation not permitted"; allowed
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


def remove_room(room):
    """Remove a room, however deep its folders are and whatever its user may enter."""
    for _ in range(ATTEMPTS):
        for words in (["chmod", "-R", "u+rwX", str(room)], ["rm", "-rf", "--", str(room)]):
            subprocess.run(words, capture_output=True, check=False)
        if not room.exists():
            return
        sleep(0.2)  # a process that is being ended has written there


def empty(folder):
    """Remove what processes that may still run have left in a folder; no link is followed."""
    left = [str(path) for path in folder.iterdir()]
    if left:
        subprocess.run(["rm", "-rf", "--", *left], capture_output=True, check=False)


def inside(pid, room):
    """The folder of a room as its processes see it, or None as long as it is not furnished.

    Parameters
    ----------
    pid : int
        The process that `command` started.
    room : Path
    """
    try:
        (first,) = psutil.Process(pid).children()
        root = Path(f"/proc/{first.pid}/root")
        furnished = root.stat().st_dev != Path("/").stat().st_dev and (root / room.relative_to("/") / "out").is_dir()
    except (OSError, ValueError, psutil.Error):
        return None
    return root / room.relative_to("/") if furnished else None


def files(seen, room):
    """How many files and folders the processes of a room have written.

    Parameters
    ----------
    seen : Path
        The room as its processes see it, from `inside`.
    room : Path
    """
    root = seen.parents[len(room.parts) - 2]
    spaces = [os.statvfs(root / path.lstrip("/") if path.startswith("/") else seen / path) for path in SPACE]
    return sum(space.f_files - space.f_ffree for space in spaces)


def memory(pid):
    """Bytes of memory that a process and all that it has started have together; what they share counts once."""
    total = 0
    try:
        for process in [(first := psutil.Process(pid)), *first.children(recursive=True)]:
            try:
                text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
            except OSError:  # it has ended, or the system does not say
                continue
            total += sum(1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    except psutil.Error:
        return total
    return total


def user_of(room):
    """Number of the user to whom a room belongs."""
    return (room / "home").stat().st_uid


def command(room, hidden=(), shown=(), limits=LIMITS, closed=()):
    """Words to put before a command so that it runs in the room.

    Parameters
    ----------
    room : Path
        A folder that `make_room` has furnished.
    hidden : iterable of str
        Packages that are not there, even if the grader's Python has them.
    shown : iterable of Path
        Further folders that can be read, such as a package outside ``site-packages``.
    limits : dict
        Limits of `prlimit`, by its long options.
    closed : iterable of Path
        Folders that look empty even if they lie in one that can be read, such as the course.
    """
    words = ["sh", "-c", 'exec "$@" 9<"$0"', str(room / "filter")] if call_filter() else []
    words += ["bwrap", *(["--seccomp", "9"] if words else []), "--die-with-parent", "--clearenv"]
    words += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/dev/shm", "/tmp"):  # before everything that is shown below /tmp
        words += _space(path, SPACE[path])
    words += ["--remount-ro", "/dev"]
    root = os.getuid() == 0
    if not root:
        words += ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--disable-userns"]
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            words += _shown(path)
    python = [Path(sys.base_prefix), Path(sys.prefix)]
    for path in dict.fromkeys([*python, *shown]):
        words += _shown(path)
    empty = [path for module in hidden for path in Path(sys.prefix).glob(f"lib/python3*/site-packages/{module}")]
    for path in (path.resolve() for path in (*CLOSED, *closed)):
        seen = any(path.is_relative_to(folder) for folder in ("/usr", *python, *shown))
        if seen and path.is_dir() and not any(own.is_relative_to(path) for own in (*python, *shown)):
            empty.append(path)
    for path in empty:
        words += ["--perms", "0755", "--tmpfs", str(path), "--remount-ro", str(path)]
    words += _shown(room / "in")
    for name in ("out", "kernel", "home"):
        words += _space(room / name, SPACE[name])
    words += ["--remount-ro", "/", "--chdir", str(room / "home")]
    for name, value in environment(room).items():
        words += ["--setenv", name, value]
    words += ["--"]
    if root:  # the limit on processes does not apply to root, not even in a namespace
        words += [*_become(user_of(room)), "--inh-caps=-all", "--bounding-set=-all"]
    return [*words, *_limited(limits)]


def _space(path, size):
    """An empty folder in memory, of some MiB, in which everybody may write."""
    return ["--size", str(size * MIB), "--perms", "1777", "--tmpfs", str(path)]


def _become(user):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]


def _limited(limits):
    return ["prlimit", *(f"--{name}={value}" for name, value in limits.items()), "--"]


@lru_cache
def _can_become_another():
    reach = f"import numpy, os; os.stat(os.path.join({tempfile.gettempdir()!r}, '.'))"  # rooms are made there
    words = [*_become(NAMELESS[0]), *_limited(LIMITS), PYTHON, "-c", reach]
    try:
        return os.getuid() == 0 and subprocess.run(words, capture_output=True, timeout=60, check=False).returncode == 0
    except (AttributeError, FileNotFoundError, subprocess.TimeoutExpired):
        return False


def without_room(room, limits=LIMITS):
    """Words to put before a command where its room cannot be locked: root, as in a container, becomes its user."""
    return [*_become(user_of(room)), *_limited(limits)] if _can_become_another() else []


def _shown(path):
    """A folder or file that can be read; its parents are made first, so that another user can enter them."""
    for parent in reversed(path.parents[:-1]):
        if str(parent) != "/tmp":
            yield from ["--perms", "0755", "--dir", str(parent)]
    yield from ["--ro-bind", str(path), str(path)]


def environment(room):
    """The environment of a student's process, in the room or without one."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(room / "home"),
        "TMPDIR": str(room / "home"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(room / "in"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_NO_INDEX": "1",  # there is no network: who installs a package hears so at once
        "JUPYTER_RUNTIME_DIR": str(room / "kernel"),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # figures get into the notebook
    }


@lru_cache
def missing():
    """Why this machine cannot make a room, in one sentence; nothing if it can."""
    if not sys.platform.startswith("linux"):
        return "the sandbox needs Linux: grade in a container (see the teacher's guide)"
    with tempfile.TemporaryDirectory(prefix="room-") as folder:
        make_room(Path(folder))
        try:
            run = subprocess.run(
                [*command(Path(folder)), PYTHON, "-c", ""], capture_output=True, text=True, timeout=120, check=False
            )
        except FileNotFoundError as error:
            return f"{error.filename} is not installed (Debian, Ubuntu: apt-get install bubblewrap)"
        except subprocess.TimeoutExpired:
            return "bubblewrap did not answer within two minutes"
    if run.returncode:
        forbidden = UBUNTU.exists() and UBUNTU.read_text(encoding="ascii").strip() == "1"
        hint = " (Ubuntu: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0)" if forbidden else ""
        return f"bubblewrap cannot make a room here: {' '.join(run.stderr.split())}{hint}"
    return ""
