"""pytest plugin: nbval compares every notebook with the one execution that the book is built from.

``pytest --nbval`` starts a kernel for every notebook. Here a notebook is executed by `notebooks.executed`,
unless that has been done since anything it depends on changed, and nbval gets the messages of that kernel.

nbval promises none of what this takes the place of; tests/book/test_hooks.py says what broke in another version.
"""

import pytest


def pytest_configure(config):
    """What a cell prints that does nothing here is not compared."""
    if config.getoption("nbval", False):
        from nbval import plugin

        import notebooks

        plugin.metadata_tags.update(dict.fromkeys(notebooks.IDLE, plugin.metadata_tags["nbval-ignore-output"]))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(parent):
    collectors = yield
    if not parent.config.getoption("nbval", False):
        return collectors
    from nbval.plugin import IPyNbFile

    for collector in collectors:
        if isinstance(collector, IPyNbFile):
            collector.add_marker(pytest.mark.xdist_group(collector.path.stem))
            collector.setup = lambda collector=collector: _setup(collector)
    return collectors


def _setup(collector):
    """Prepare the cells of a notebook, as nbval does, but for the kernel."""
    from notebooks import SHOWN

    collector.skip_compare += SHOWN
    collector.kernel = Replay(collector.path)
    collector.setup_sanitize_files()


class Replay:
    """Answers as the kernel that executed the notebook did; the methods are those that nbval calls."""

    def __init__(self, path):
        from notebooks import code_cells, executed

        self.cells = iter(code_cells(executed(path)))
        self.messages = iter(())
        self.alive = True

    def is_alive(self):
        return self.alive

    def execute_cell_input(self, source, allow_stdin):
        """Find the cell in the execution, and make its outputs messages."""
        cell = next(cell for cell in self.cells if cell.source == source)
        contents = [(output["output_type"], output) for output in cell.outputs]
        if cell.execution_count is None:
            error = {
                "ename": "NotExecuted",
                "evalue": "",
                "traceback": ["A cell before this one raised an error."],
            }
            contents = [("error", error)]
        contents.append(("status", {"execution_state": "idle"}))
        self.messages = iter(
            {"msg_type": kind, "content": content, "parent_header": {"msg_id": source}} for kind, content in contents
        )
        return source

    def get_message(self, stream, timeout=None):
        return next(self.messages)

    def await_reply(self, message, timeout=None):
        """The outputs are all there."""

    await_idle = await_reply

    def stop(self):
        self.alive = False
