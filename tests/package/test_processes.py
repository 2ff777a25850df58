"""A method computes the same in every process."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from support.cases import CASES


@pytest.mark.rests_on("support.cases")
def test_two_processes_give_the_same_digits():
    program = (
        "import hashlib\n"
        "from support.cases import CASES\n"
        "for case in CASES: print(hashlib.sha256(case.fit().embedding_.tobytes()).hexdigest())"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[1])
    here = [hashlib.sha256(case.fit().embedding_.tobytes()).hexdigest() for case in CASES]
    assert run.stdout.decode().split() == here
