"""Makes the notebook of the tutorial from its page: `python make_notebook.py` writes it."""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/tutorials/python.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")


def blocks(page: str) -> list[tuple[str, str]]:
    """The parts of a page in order: `python`, or `text` for anything else."""
    parts = re.split(r"^```python,no-run\n(.*?)^```\n", page, flags=re.M | re.S)
    return [("python" if place % 2 else "text", part.strip()) for place, part in enumerate(parts) if part.strip()]


def notebook(page: str) -> str:
    """The text of the notebook."""
    cells = []
    for number, (kind, text) in enumerate(blocks(page)):
        if kind == "python":
            cell = nbformat.v4.new_code_cell(text)
        else:
            # Links of the book lead to pages beside the notebook; shell blocks have no word for the book's tests.
            cell = nbformat.v4.new_markdown_cell(text.replace("```sh,no-run", "```sh"))
        cell["id"] = f"cell-{number}"
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return nbformat.writes(made) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
