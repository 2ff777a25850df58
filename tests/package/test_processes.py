"""A method computes the same in every process."""

import hashlib
import os
import subprocess
import sys

import pytest

from support.cases import CASES, allows_cut_short


@allows_cut_short
@pytest.mark.rests_on("support.cases")
def test_two_processes_give_the_same_digits():
    program = (
        "import hashlib\n"
        "from support.cases import CASES\n"
        "for case in CASES: print(hashlib.sha256(case.fit().embedding_.tobytes()).hexdigest())"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment)
    here = [hashlib.sha256(case.fit().embedding_.tobytes()).hexdigest() for case in CASES]
    assert run.stdout.decode().split() == here
