"""What the judge relies on although nbclient does not promise it: each test says what broke in another version."""

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError

from grading.hooks import PatientExecute

pytestmark = pytest.mark.graded


class Asked(PatientExecute):
    """Says yes a number of times."""

    answers = 0

    def goes_on(self, timeout):
        self.answers -= 1
        assert timeout == 1
        return self.answers >= 0


def executed(answers):
    """A cell that takes three seconds and has one, executed."""
    cell = nbformat.v4.new_code_cell("import time\ntime.sleep(3)\nprint('done')")
    execute = Asked(timeout=1, interrupt_on_timeout=False)
    execute.answers = answers
    execute.preprocess(nbformat.v4.new_notebook(cells=[cell]), {"metadata": {"path": "."}})
    return execute, cell


def test_nbclient_asks_again_and_again_whether_a_cell_may_go_on():
    execute, cell = executed(answers=1000)
    assert cell.outputs[0].text == "done\n" and execute.answers < 999


def test_nbclient_gives_a_cell_up_when_it_may_not_go_on():
    with pytest.raises(CellTimeoutError):
        executed(answers=0)


def test_nbclient_can_end_its_kernel_and_then_has_none():
    execute = PatientExecute()
    execute.nb = nbformat.v4.new_notebook()
    kernel = execute.create_kernel_manager()
    execute.start_new_kernel()
    execute.start_new_kernel_client()
    assert isinstance(kernel, AsyncKernelManager) and kernel.has_kernel
    execute.end_kernel()
    assert execute.km is None and not kernel.has_kernel
