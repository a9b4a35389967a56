"""Notebooks are stored without outputs and run from start to end."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

SAID = {
    "01-should-i-draw": "Draw 1 more\n\nIt fails 1 in 4 ",
    "02-strategy": "learned wins ",
    "03-your-own-rules": "What changed rules do: mine against official: ",
    "policies": " wins ",
}
"""What each of them prints."""
NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_notebook_runs_and_keeps_no_output(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    book = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in book.cells)
    monkeypatch.setenv("PYTHONPATH", str(path.parent.parent))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    client = NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 3
    assert any(SAID[path.stem] in output.get("text", "") for output in outputs)
