"""What the judge relies on although nbclient does not promise it, in this one file.

`test_judge_hooks.py` says what broke when another version does otherwise. What it takes the place of in
nbgrader is `Execute`, a preprocessor, whose version is pinned.
"""

import asyncio

from nbgrader.preprocessors import Execute


class PatientExecute(Execute):
    """nbgrader's `Execute`, which asks whether a cell that has taken its time may go on, and can end its kernel."""

    def goes_on(self, timeout):
        """Whether to wait longer for a cell than the seconds that it has."""
        return False

    async def _async_handle_timeout(self, timeout, cell=None):
        """nbclient calls this while a cell takes too long, again and again as long as the answer is None."""
        if self.goes_on(timeout):
            await asyncio.sleep(0.1)
            return None
        return await super()._async_handle_timeout(timeout, cell)

    def end_kernel(self):
        """nbclient ends its kernel with this method, after which it has none."""
        self._cleanup_kernel()
