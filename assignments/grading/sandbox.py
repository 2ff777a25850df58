"""A locked room for the code of students: no network, no file but its own, limited memory, processes and time.

The room is made by bubblewrap (what Flatpak uses) with the system calls of Linux; `prlimit` sets the limits. As
root, the code runs as a user of its own for each room, because the system counts the processes of a user in all rooms
together; otherwise it runs as the user of the grader in its own namespace.
"""

import os
import secrets
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

MIB = 2**20
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
SPACE = 256 * MIB  # for all files in the room
UBUNTU = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")  # its rule against rooms
SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]


def make_room(folder):
    """The folders of a room: "in" can be read there, "out" and "kernel" written, and "home" is in memory."""
    folder.chmod(0o755)  # the user of the room cannot rename or link anything in the folder itself
    user = secrets.choice(NAMELESS)
    for name in ("in", "out", "kernel", "home"):
        (folder / name).mkdir()
        if os.getuid() == 0 and name != "in":
            os.chown(folder / name, user, user)


def user_of(room):
    """Number of the user to whom a room belongs."""
    return (room / "home").stat().st_uid


def command(room, hidden=(), shown=(), limits=LIMITS):
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
    """
    words = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    words += ["--size", str(SPACE), "--tmpfs", "/tmp"]  # before everything that is shown below /tmp
    root = os.getuid() == 0
    if not root:
        words += ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--disable-userns"]
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            words += _shown(path)
    for path in dict.fromkeys([Path(sys.base_prefix), Path(sys.prefix), *shown]):
        words += _shown(path)
    for module in hidden:
        for path in Path(sys.prefix).glob(f"lib/python3*/site-packages/{module}"):
            words += ["--tmpfs", str(path)]
    words += _shown(room / "in")
    words += [word for name in ("out", "kernel") for word in ("--bind", str(room / name), str(room / name))]
    words += ["--size", str(SPACE), "--perms", "1777", "--tmpfs", str(room / "home")]
    words += ["--remount-ro", "/", "--chdir", str(room / "home")]
    for name, value in environment(room).items():
        words += ["--setenv", name, value]
    words += ["--"]
    if root:  # the limit on processes does not apply to root, not even in a namespace
        words += [*_become(user_of(room)), "--inh-caps=-all", "--bounding-set=-all"]
    return [*words, *_limited(limits)]


def _become(user):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]


def _limited(limits):
    return ["prlimit", *(f"--{name}={value}" for name, value in limits.items()), "--"]


@lru_cache
def _can_become_another():
    words = [*_become(NAMELESS[0]), *_limited(LIMITS), sys.executable, "-c", "import numpy"]
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
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(room / "in"),
        "PYTHONDONTWRITEBYTECODE": "1",
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
                [*command(Path(folder)), "true"], capture_output=True, text=True, timeout=20, check=False
            )
        except FileNotFoundError as error:
            return f"{error.filename} is not installed (Debian, Ubuntu: apt-get install bubblewrap)"
        except subprocess.TimeoutExpired:
            return "bubblewrap did not answer within 20 s"
    if run.returncode:
        forbidden = UBUNTU.exists() and UBUNTU.read_text(encoding="ascii").strip() == "1"
        hint = " (Ubuntu: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0)" if forbidden else ""
        return f"bubblewrap cannot make a room here: {' '.join(run.stderr.split())}{hint}"
    return ""
