"""Our side: one long-lived process that times operations on weights in files."""

import hashlib
import json
import pathlib
import subprocess

import numpy as np


class Grove:
    def __init__(self, program, folder):
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, task, weights, repetitions, output="-"):
        """Seconds for all repetitions of a task on (N+1) x (N+1) log-weights by [parent, child]."""
        rows = np.ascontiguousarray(weights[:, 1:].T).astype("<f8").tobytes()
        file = self.folder / f"{hashlib.sha256(rows).hexdigest()}.f64"
        if not file.exists():
            file.write_bytes(rows)
        self.process.stdin.write(f"{task} {file} {repetitions} {output}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"grove stopped at {task}")
        return json.loads(line)["seconds"]

    def result(self, task, weights, repetitions=1):
        """What a task gives, as numbers."""
        output = self.folder / "result.f64"
        self.ask(task, weights, repetitions, output)
        return np.fromfile(output, "<f8")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
