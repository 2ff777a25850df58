"""Run a submission, with its tests outside the student's process.

`Judge` takes the place of nbgrader's own `Execute`. What the student wrote runs in a kernel in the sandbox. A test
cell (locked and graded) never gets there: it runs here, and names that neither it nor the given cells define stand for
what the student defined. A variable is copied; a function is called over the `border`, which only plain data crosses.
So a test cannot be patched, read from the stack, or fooled by an object that equals everything.

A cell or a call that does not end fails its task: the kernel is restarted, and the cells that had ended run again.
So it is after the last test of an assignment that allows further packages in its project: before, they are not there.
Python may also end by what another task has left behind, such as a timer: so what ended it is tried once more, in a
kernel that has seen nothing but this task.
"""

import ast
import builtins
import importlib.util
import io
import math
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from time import monotonic, process_time, sleep

import nbformat
import numpy as np
import psutil
import zmq
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbgrader import utils
from traitlets import Dict, Enum, Integer, List

from grading import border, sandbox, variants
from grading.hooks import PatientExecute
from grading.pages import make_plain, plain
from grading.sandbox import LIMITS, MIB, environment, make_room, missing, user_of

PATIENCE = 10  # how many times longer than its time a cell may take on a busy machine
ROOM_TIMEOUT = 300  # seconds; on a busy machine, making a room may take many, and so may starting Python in it
LARGEST_REPLY = 16 * MIB
LARGEST_MESSAGE = 32 * MIB
LONGEST_REASON = 500  # characters
USED_UP = "the whole notebook took more than"
SETTLED = "__import__('border').settle(get_ipython())"


class SubmissionError(Exception):
    """What went wrong in the student's code when a test called it."""


class StudentKernel(AsyncKernelManager):
    """A kernel in the sandbox, reached through sockets in its room, which work without a network."""

    def __init__(self, hidden=(), shown=(), limits=LIMITS, closed=(), locked=True, **options):
        super().__init__(**options)
        self.hidden, self.shown, self.limits, self.closed, self.locked = hidden, shown, limits, closed, locked
        self.room = Path(tempfile.mkdtemp(prefix="room-"))
        self.seen = self.room  # the room as its processes see it
        make_room(self.room)
        text = Path(border.__file__).read_text(encoding="utf-8")
        (self.room / "in" / "border.py").write_text(text, encoding="utf-8")
        if not locked:  # where nothing can be hidden, it is at least not imported by accident
            without = f"import sys\nsys.modules.update(dict.fromkeys({list(hidden)}))\n"
            (self.room / "in" / "sitecustomize.py").write_text(without, encoding="utf-8")
        self.connection_file = str(self.room / "in" / "connection.json")
        if sys.platform != "win32":
            self.transport, self.ip = "ipc", str(self.room / "kernel" / "s")
        self.context.setsockopt(zmq.MAXMSGSIZE, LARGEST_MESSAGE)

    def format_kernel_cmd(self, extra_arguments=None):
        """The command that starts the kernel; a kernel that someone else installed is not used."""
        kernel = [sandbox.PYTHON, "-m", "ipykernel_launcher", "-f", self.connection_file, "--log-level=ERROR"]
        kernel += ["--HistoryManager.hist_file=:memory:", f"--IPKernelApp.exec_lines={SETTLED}"]
        if os.getuid() == 0:
            os.chown(self.connection_file, user_of(self.room), user_of(self.room))
        if not self.locked:
            return [*sandbox.without_room(self.room, self.limits), *kernel]
        return [*sandbox.command(self.room, self.hidden, self.shown, self.limits, self.closed), *kernel]

    async def start_kernel(self, **options):
        """Start the kernel with nothing of this process but what the room has."""
        options |= {"cwd": str(self.room / "home"), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if not self.locked:
            options["env"] = os.environ | environment(self.room) | {"PATH": os.environ["PATH"]}
        await super().start_kernel(**options)
        late = monotonic() + ROOM_TIMEOUT
        while self.locked:
            if found := sandbox.inside(self.provisioner.pid, self.room):
                self.seen, self.ip = found, str(found / "kernel" / "s")
                threading.Thread(target=self._watch, args=[self.provisioner.process], daemon=True).start()
                return
            if await self.provisioner.poll() is not None or monotonic() > late:
                raise DeadKernelError("the room was not made")
            sleep(0.05)

    def _watch(self, process):
        """End a process if there are too many files in its room, or too much memory; over when it has ended."""
        try:
            while sandbox.files(self.seen, self.room) <= sandbox.MOST_FILES:
                if sandbox.memory(process.pid) > sandbox.MOST_MEMORY:
                    break
                sleep(0.2)
        except OSError:
            return
        process.kill()

    def usage(self):
        """Seconds in which the kernel or this process could have run but had to wait for a processor, where the system
        tells them, and seconds of a processor that the kernel and all that it has started have had.
        """
        try:
            kernel = psutil.Process(self.provisioner.pid)
            processes = [kernel, *kernel.children(recursive=True)]
            worked = sum(sum(process.cpu_times()[:4]) for process in processes)
        except (OSError, psutil.Error):
            return 0.0, 0.0
        return max(delay(process.pid) for process in processes) + delay("self"), worked


class Judge(PatientExecute):
    """Execute a student's cells in the sandbox and the test cells here."""

    sandbox = Enum(["bubblewrap", "none"], "bubblewrap", help="What locks the student's code up").tag(config=True)
    hidden = List([], help="Packages that a student's code cannot find").tag(config=True)
    closed = List([], help="Folders that a student's code must not see, such as the course").tag(config=True)
    limits = Dict(LIMITS, help="Limits of a student's process, as prlimit names them").tag(config=True)
    call_timeout = Integer(10, help="Seconds that one call of a student's function may take").tag(config=True)
    test_timeout = Integer(10, help="Seconds of a processor that a test may take, without the calls").tag(config=True)
    notebook_timeout = Integer(
        75, help="Seconds that all cells, calls and tests of a notebook, and new kernels, may take together"
    ).tag(config=True)
    own_timeout = Integer(
        30, help="Seconds that cells without an answer may take together, before those that are left do not run"
    ).tag(config=True)
    endless_timeout = Integer(
        20,
        help="Seconds that cells and calls which do not end may take before all that follow have a fifth of their time",
    ).tag(config=True)
    variant = Integer(0, help="The student's number, if there are variants").tag(config=True)
    most_restarts = Integer(3, help="How many cells of one notebook may cost a kernel").tag(config=True)
    output_limit = Integer(200_000, help="Characters of output kept of one cell").tag(config=True)
    picture_limit = Integer(8 * MIB, help="Bytes of pictures, as text, kept of one cell").tag(config=True)
    all_limit = Integer(32 * MIB, help="Characters of output and pictures kept of all cells").tag(config=True)

    def __init__(self, **options):
        super().__init__(**options)
        self.interrupt_on_timeout = False  # code may ignore an interrupt
        self.shutdown_kernel = "immediate"
        self.cell_timeout, self.timeout = self.timeout, self.startup_timeout  # of anything that is no cell
        self.startup_timeout = ROOM_TIMEOUT
        self.timeout_func = lambda cell: self._allowed(self.timeout if self.starting else self.cell_timeout)

    # ---- The kernel ------------------------------------------------------------------------------------------------

    def create_kernel_manager(self):
        """A kernel for this notebook, which after its last test may see packages that are hidden from others."""
        seen = {} if self.tests_left else self.allowed
        self.km = StudentKernel(
            hidden=[name for name in self.hidden if name not in seen],
            shown=[path for path in seen.values() if Path(sys.prefix) not in path.parents],
            limits=self.limits,
            closed=[Path(path) for path in self.closed],
            locked=self.sandbox != "none",
            config=self.config,
        )
        self.rooms.append(self.km.room)
        return self.km

    def preprocess(self, nb, resources, km=None):
        """Execute a rebuilt notebook; its test cells get the outputs that nbgrader takes marks from."""
        if self.sandbox != "none" and missing():
            raise RuntimeError(missing())
        if self.variant:  # nbgrader has put locked cells back to what they are for all
            nb.cells = variants.put(nb, self.variant).cells
        self.rooms, self.restarts, self.starting, self.lost = [], 0, False, False
        self.began, self.before, self.shown = monotonic(), (0.0, 0.0), {}
        self.spent, self.own, self.wasted = 0.0, 0.0, 0.0  # seconds: of all, of cells without an answer, of the endless
        self.given, self.ended = {"__name__": "__tests__"}, []  # of what ended, its task and the code
        self.task, self.tested, self.alone = 0, False, False
        self.kept = 0  # characters of all outputs
        self.tests_left = sum(map(_is_test, nb.cells))
        self.allowed = {name: _folder(name) for name in nb.metadata.get("course", {}).get("allows", [])}
        try:
            return super().preprocess(nb, resources, km)
        finally:
            for room in self.rooms:
                sandbox.remove_room(room)

    def preprocess_cell(self, cell, resources, index):
        """A test is judged here, given code runs on both sides, and everything else runs in the kernel."""
        if cell.cell_type != "code":
            return cell, resources
        if _is_test(cell):
            cell.outputs = self._judged(cell)
            self.tests_left -= 1
            self.tested = True
            if self.allowed and not self.tests_left and not self.lost:
                self._run_in_a_fresh_kernel()
            return cell, resources
        self.task, self.tested = self.task + self.tested, False  # what follows a test belongs to the next task
        if utils.is_locked(cell):
            exec(compile(cell.source, "<given>", "exec"), self.given)
        own = self.tests_left and not utils.is_locked(cell) and not utils.is_solution(cell)
        if own and self.own > self.own_timeout:
            cell.outputs = [_error("Not run", f"cells without an answer took more than {self.own_timeout} s")]
            return cell, resources
        spent = self.spent
        try:
            self._do_or_try_alone(lambda: self._run(cell))
            self.ended.append((None if utils.is_locked(cell) else self.task, cell.source))
        except Exception:  # whatever the kernel did to nbclient
            why = self._used_up() or "this cell did not end in time, or ended Python"
            cell.outputs = [*cell.outputs, _error("Not finished", why)]
            self.restarts += 1
            self.lost = self.lost or self.restarts > self.most_restarts
            self._start_again()
        if own:
            self.own += self.spent - spent
        cell.execution_count = None
        for output in cell.outputs:
            make_plain(output, self.output_limit)
        self.kept += len(str(cell.outputs))
        if self.kept > self.all_limit:
            cell.outputs = [_error("Not kept", "the notebook shows more than a page of feedback can hold")]
        return cell, resources

    def _do_or_try_alone(self, do):
        """Do something in the kernel; if Python ends, once more in one that has seen this task alone, and is kept."""
        try:
            do()
        except CellTimeoutError:
            raise
        except Exception:
            if self.lost:
                raise
            before, self.alone = self.alone, True
            self._start_again()
            try:
                do()
            except Exception:
                self.alone = before
                raise

    def _run(self, cell):
        """Run a cell in the kernel, wherever it comes from."""
        self.printed = self.drawn = 0
        self.lost = self.lost or bool(self._used_up())
        if self.lost:
            raise DeadKernelError("the kernel is not started again")
        first = self.nb.cells[0]
        self.began, self.before = monotonic(), self.km.usage()
        try:
            self.execute_cell(cell, 0, store_history=False)
        except CellTimeoutError:
            self.wasted += self._allowed(self.cell_timeout)
            raise
        finally:
            self.nb.cells[0] = first  # where nbclient puts what it executed
            self.spent += self._had()

    def _had(self):
        """Seconds that a cell has had since it began: of the clock, less those that other programs had, or of all
        processors, if these are more.
        """
        seconds = monotonic() - self.began
        if seconds < 1:  # who looks at all processes takes longer than most cells
            return seconds
        waited, worked = (now - before for now, before in zip(self.km.usage(), self.before, strict=True))
        return max(seconds - max(0.0, waited), worked)

    def _allowed(self, seconds):
        """The seconds that a cell or a call has, of those that are left; fewer where much does not end."""
        return min(max(1, seconds // 5) if self.wasted >= self.endless_timeout else seconds, self._left())

    def _left(self):
        """The seconds that are left of those for the notebook, or the last one."""
        return max(1, math.ceil(self.notebook_timeout - self.spent))

    def _used_up(self):
        """That the notebook has had its time, in one sentence, if it has."""
        return f"{USED_UP} {self.notebook_timeout} s" if self.spent > self.notebook_timeout else ""

    def goes_on(self, timeout):
        """Whether a cell has not had its time because other programs, and not its own, had the processor."""
        return monotonic() - self.began < PATIENCE * timeout and self._had() < timeout

    def process_message(self, msg, cell, cell_index):
        """Keep what the kernel shows, unless there is too much; a display that is updated shows its last state."""
        kind, content = msg["msg_type"], msg["content"]
        if kind.startswith("comm"):
            return None
        if kind not in ("status", "execute_input", "clear_output"):
            pictures = _pictures(content)
            self.drawn += pictures
            self.printed += len(str(content)) - pictures
            if self.printed > self.output_limit or self.drawn > self.picture_limit:
                return None
        name = str((content.pop("transient", None) or {}).get("display_id"))
        if kind == "update_display_data":
            for output in self.shown.get(name, []):
                output.update(data=content["data"], metadata={})
                make_plain(output, self.output_limit)
            return None
        output = super().process_message(msg, cell, cell_index)
        if output is not None and name != "None":
            self.shown.setdefault(name, []).append(output)
        return output

    def _start_again(self):
        """Replace a kernel that is of no use any more, unless that was done too often."""
        if not self.lost:
            self._run_in_a_fresh_kernel()

    def _run_in_a_fresh_kernel(self):
        """Start another kernel, in which what had ended runs again: all, or the cells of this task alone."""
        self.starting = True
        for alone in (False, True)[self.alone :]:
            try:
                self.end_kernel()
                self.create_kernel_manager()
                self.start_new_kernel()
                self.start_new_kernel_client()
                self.spent += self.km.usage()[1]
                for task, source in self.ended:
                    if not alone or task in (None, self.task):
                        self._run(nbformat.v4.new_code_cell(source))
                self.alone = alone
                break
            except Exception:
                if self.km is None:
                    self.create_kernel_manager()  # nbclient needs one to end
        else:
            self.lost = True
        self.starting = False

    # ---- The tests -------------------------------------------------------------------------------------------------

    def _judged(self, cell):
        """The outputs of a test cell: none, its points, or one error that says what failed."""
        space, worked = dict(self.given), process_time()
        try:
            for name in sorted(free_names(cell.source) - set(self.given)):
                space[name] = self._stand_in(name)
            with limited(min(self.test_timeout, self._left())):
                points = points_of(cell, space)
        except SubmissionError as error:
            return [_error("In your code", str(error))]
        except AssertionError as error:
            return [_error("Test failed", str(error))]
        except Exception as error:
            return [_error("Test failed", f"your result leads to {_named(error)}")]
        finally:
            self.spent += process_time() - worked
        if points is None:
            return []
        return [nbformat.v4.new_output("execute_result", {"text/plain": repr(points)}, execution_count=1)]

    def _stand_in(self, name):
        """What a name in the student's code stands for in a test: a copy of a variable, or a function that asks."""
        reply = self._ask(name)
        if "callable" not in reply:
            return reply["value"]
        return lambda *args, **kwargs: border.as_arrays(self._ask(name, args, kwargs)["value"])

    def _make_way(self):
        """Remove what lies where the reply is to be: a room that is full would have no place for it."""
        try:
            sandbox.empty(self.km.seen / "out")
        except OSError:  # the kernel has ended, as the call will say
            return

    def _ask(self, name, args=None, kwargs=None):
        """The kernel's reply to a call of a student's function, or to the question of what a name is."""
        request = border.pack({"name": name, "call": args is not None, "args": args, "kwargs": kwargs})
        with unlimited():
            return self._reply(name, request, args is not None)

    def _send(self, request):
        """Have the kernel answer a request."""
        (self.km.room / "in" / "request").write_bytes(request)
        self._make_way()
        self._run(nbformat.v4.new_code_cell("__import__('border').answer()"))

    def _reply(self, name, request, is_call):
        """The kernel's reply to a request; an error says in one sentence why there is none."""
        timeout, self.cell_timeout = self.cell_timeout, self.call_timeout
        allowed = self._allowed(self.call_timeout)
        try:
            self._do_or_try_alone(lambda: self._send(request))
        except Exception as error:
            self._start_again()
            slow = isinstance(error, CellTimeoutError)
            what = f"did not return within {allowed} s" if slow else "ended Python"
            raise SubmissionError(self._used_up() or f"{name} {what}") from None
        finally:
            self.cell_timeout = timeout
        try:
            reply = border.unpack(read_plain(self.km.seen / "out" / "reply"))
            if reply.get("error") == NotImplementedError.__name__:  # as it was given out
                raise SubmissionError(f"{name} is not answered")
            if "error" in reply:
                raise SubmissionError(f"{name}: {reply['error']}: {reply['text']}")
            if not {"value", "callable"} & set(reply) or (is_call and "value" not in reply):
                raise ValueError("neither a value nor an error")
            return reply
        except SubmissionError:
            raise
        except Exception:
            raise SubmissionError(f"{name} gave no result that can be read") from None


def _pictures(content):
    """The length of the pictures in what a kernel shows, which may be anything."""
    data = content.get("data")
    return sum(len(str(data.get(f"image/{kind}", ""))) for kind in ("png", "jpeg")) if isinstance(data, dict) else 0


def delay(process):
    """Seconds in which a process could have run but had to wait for a processor, 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0


@contextmanager
def limited(seconds):
    """Raise an error in what takes more seconds of a processor; where the system has no such clock, nothing is done."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_):
        raise SubmissionError(f"your result keeps the test busy for more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)  # and each second after, should somebody catch the error
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def unlimited():
    """Stop the clock of `limited`, if it runs."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    left = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *left)


def points_of(cell, space):
    """Run a test cell: the points that it gives, or None if it only has to pass; raises an error if it does not.

    Parameters
    ----------
    cell : NotebookNode
    space : dict
        What names that the test does not define stand for; it is changed.
    """
    tree = ast.parse(cell.source)
    credit = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), np.errstate(all="ignore"):
        exec(compile(tree, "<tests>", "exec"), space)
        if credit is None:
            return None
        points = eval(compile(ast.Expression(credit.value), "<tests>", "eval"), space)
    points = np.nan_to_num(float(points), nan=0.0, posinf=0.0, neginf=0.0)
    return float(min(max(points, 0.0), float(cell.metadata.nbgrader.points)))


def _named(error):
    """What kind of error it is, and what it says, if it can."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _is_test(cell):
    """Whether marks come from running this cell: a proof is marked, too, but by a person."""
    return utils.is_grade(cell) and not utils.is_solution(cell)


def free_names(source):
    """Names that some code uses but does not define; builtins are left out."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
    return {node.id for node in names} - bound - set(dir(builtins))


def _folder(package):
    """Where a package that an assignment allows is installed."""
    found = importlib.util.find_spec(package)
    if found is None:
        raise ModuleNotFoundError(f"The assignment allows {package}, which is not installed here: install it to grade.")
    return Path(found.submodule_search_locations[0])


def read_plain(path):
    """The bytes of a plain file, which is removed; a link, a pipe or a device in its place is refused."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_REPLY:
            raise ValueError("not a plain file")
        data = file.read(LARGEST_REPLY)
    path.unlink()
    return data


def _error(name, text):
    text = plain(text, LONGEST_REASON)
    return nbformat.v4.new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
