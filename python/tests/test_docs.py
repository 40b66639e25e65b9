"""Docstrings, examples, the README and the notebook: everything that is shown works."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import runpy
from pathlib import Path

import nbclient
import nbformat
import pytest

import taxogrove
from taxogrove import _native

PYTHON = Path(__file__).resolve().parents[1]


def test_docstrings() -> None:
    tried = 0
    for found in pkgutil.iter_modules(taxogrove.__path__):
        if found.name in ("__main__", "_native"):
            continue
        module = importlib.import_module(f"taxogrove.{found.name}")
        # Classes are shown under the package's name, so that doctest would not look into them.
        finder = doctest.DocTestFinder(exclude_empty=True)
        objects = [value for value in vars(module).values() if getattr(value, "__doc__", None) and callable(value)]
        own = [value for value in objects if getattr(value, "__module__", "") in (module.__name__, "taxogrove")]
        for value in own:
            for test in finder.find(value, value.__name__, module=False, globs=vars(taxogrove).copy()):
                results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
                assert results.failed == 0, test.name
                tried += results.attempted
    for value in (_native.EdgeWeights, _native.EdgeWeights.fit, _native.best_tree):
        parser = doctest.DocTestParser()
        test = parser.get_doctest(value.__doc__ or "", vars(taxogrove).copy(), value.__name__, None, 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0
        tried += len(test.examples)
    assert tried > 30, tried


def test_everything_public_is_described() -> None:
    for name in taxogrove.__all__:
        value = getattr(taxogrove, name)
        if isinstance(value, type):
            assert value.__doc__, name
            for method, inner in vars(value).items():
                if not method.startswith("_") and callable(inner):
                    assert inner.__doc__, f"{name}.{method}"
        elif callable(value):
            assert value.__doc__, name


@pytest.mark.parametrize("example", sorted((PYTHON / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("document", ["python/README.md", "README.md", "book/src/python.md"])
def test_code_in_documents(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (PYTHON.parent / document).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    scope: dict[str, object] = {}
    for block in blocks:
        if "Client(" in block:
            compile(block, document, "exec")
            continue
        exec(compile(block, document, "exec"), scope)


def test_the_notebook(tmp_path: Path) -> None:
    notebook = nbformat.read(PYTHON / "notebooks" / "votes-to-hierarchy.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    drawn = [output for output in outputs if "<svg" in output.get("data", {}).get("text/html", "")]
    assert drawn, "the hierarchy is drawn"
