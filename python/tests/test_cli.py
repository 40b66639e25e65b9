"""The program that the package installs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import taxogrove

from conftest import grove


def test_it_is_the_same_program(tmp_path: Path) -> None:
    version = grove("--version", folder=tmp_path)
    assert (version.returncode, version.stdout) == (0, f"grove {taxogrove.__version__}\n")
    (tmp_path / "food.txt").write_text("fruit\nlime\n")
    made = grove("new", "food", "--concepts", "food.txt", "--noise", "0.05", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "lime" in grove("show", "food", folder=tmp_path).stdout
    wrong = grove("show", "drinks", folder=tmp_path)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: there is no campaign")
    assert grove("frobnicate", folder=tmp_path).returncode == 2


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "taxogrove", "help"]
    assert "grove infer" in subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1200).stdout
