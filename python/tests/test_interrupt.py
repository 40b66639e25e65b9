"""Ctrl-C ends a long computation, and other threads run meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import taxogrove

from conftest import Ticking, crowd_votes

SLOW = """
import os, random, taxogrove
names = [f"concept {n}" for n in range(1500)]
rng = random.Random(1)
votes = []
for _ in range(20000):
    upper, lower = rng.sample(names, 2)
    votes.append({"worker": f"w{rng.randrange(50)}", "upper": upper, "lower": lower, "answer": rng.random() < 0.1})

class Bar:
    def __init__(self, *, total, desc):
        print("begin", flush=True)
    def update(self, n=1):
        pass
    def close(self):
        pass

try:
    taxogrove.infer(names, votes, progress=Bar)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
def test_ctrl_c_ends_an_inference() -> None:
    process = subprocess.Popen([sys.executable, "-P", "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        # The engine itself says that it has begun: the signal does not arrive while Python still reads the rows.
        assert process.stdout.readline() == "begin\n"
        time.sleep(1.0)
        assert process.poll() is None, "the computation was over before it could be interrupted"
        os.kill(process.pid, signal.SIGINT)
        # The computation itself takes minutes on an idle machine, and the more, the busier a machine is.
        assert process.wait(timeout=60) == 7
    finally:
        process.kill()
    assert process.stdout.read().replace("begin\n", "") == "interrupted\n"


def test_other_threads_run_during_an_inference() -> None:
    crowd, votes = crowd_votes("food", 300, 5)
    with Ticking() as ticking:
        # A held lock would let it tick once in a call. On a busy machine another thread may hardly run either, so there are several tries.
        assert any(ticking.during(lambda: taxogrove.infer(crowd.concepts, votes, noise=0.2)) > 3 for _ in range(10))


def test_a_result_may_be_used_by_several_threads() -> None:
    crowd, votes = crowd_votes("food", 50, 6)
    result = taxogrove.infer(crowd.concepts, votes, noise=0.2)
    failed: list[BaseException] = []

    def work(person: int) -> None:
        try:
            for _ in range(3):
                question = result.next_questions(1, worker=f"person {person}")[0]
                result.record(crowd.answer(question, person))
                result.path("fruit", "lime")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(person,)) for person in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and result.report()["votes"] == 59
