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

from conftest import crowd_votes

SLOW = """
import random, signal, sys, taxogrove
names = [f"concept {n}" for n in range(1500)]
rng = random.Random(1)
votes = []
for _ in range(20000):
    upper, lower = rng.sample(names, 2)
    votes.append({"worker": f"w{rng.randrange(50)}", "upper": upper, "lower": lower, "answer": rng.random() < 0.1})
print("begin", flush=True)
try:
    taxogrove.infer(names, votes)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.stdout.flush()
    import os
    os._exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent another way")
def test_ctrl_c_ends_an_inference() -> None:
    process = subprocess.Popen([sys.executable, "-P", "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "begin\n"
        time.sleep(2.0)
        assert process.poll() is None, "the computation was over before it could be interrupted"
        sent = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 7
        took = time.monotonic() - sent
    finally:
        process.kill()
    assert process.stdout.read() == "interrupted\n"
    # Some threads of the machine may be busy; the computation itself takes minutes.
    assert took < 20, took


def test_other_threads_run_during_an_inference() -> None:
    crowd, votes = crowd_votes("food", 300, 5)
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    taxogrove.infer(crowd.concepts, votes, noise=0.2)
    during = ticks[0]
    done.set()
    thread.join()
    # A held lock would let it tick once.
    assert during > 3


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
