"""Makes the notebook of the tutorial from its page: `python make_notebook.py` writes it.

`python make_notebook.py --pictures` first runs the notebook, and writes its figures to the pictures of the page.
"""

import base64
import re
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/tutorials/python.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")

CODE = re.compile(r"^```python,no-run\n(.*?)^```\n", re.M | re.S)
# The output of a cell follows it: text that it prints, and pictures.
TEXT = re.compile(r"\s*^```text\n(.*?)^```\n", re.M | re.S)
PICTURE = re.compile(r"\s*^!\[([^\]]*)\]\(([^)]+\.png)\)\n", re.M)
# Links of the book lead nowhere without the pages beside the notebook.
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
BOOK = """
The pages that this notebook names are in the book: open `book/index.html` of the archive of the program, or `docs` in the
source code.
""".replace("\n", " ")


def markdown(text: str) -> nbformat.NotebookNode:
    """A cell of text. Shell blocks have no word for the book's tests."""
    return nbformat.v4.new_markdown_cell(LINK.sub(r"\1", text).replace("```sh,no-run", "```sh").strip())


def code(text: str, rest: str) -> tuple[nbformat.NotebookNode, str]:
    """A cell of code with its outputs, and the rest of the page after them."""
    outputs = []
    while True:
        if found := TEXT.match(rest):
            outputs.append(nbformat.v4.new_output("stream", name="stdout", text=found[1]))
        elif found := PICTURE.match(rest):
            picture = base64.b64encode((PAGE.parent / found[2]).read_bytes()).decode()
            outputs.append(nbformat.v4.new_output("display_data", {"image/png": picture, "text/plain": found[1]}))
        else:
            return nbformat.v4.new_code_cell(text.strip(), outputs=outputs), rest
        rest = rest[found.end() :]


def notebook(page: str) -> str:
    """The text of the notebook."""
    cells = []
    while found := CODE.search(page):
        cells.append(markdown(page[: found.start()]))
        cell, page = code(found[1], page[found.end() :])
        cells.append(cell)
    cells.append(markdown(page))
    cells[0]["source"] = cells[0]["source"].replace("\n\n## 1.", f"\n\n{BOOK.strip()}\n\n## 1.")
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return nbformat.writes(made) + "\n"


def pictures(made: nbformat.NotebookNode) -> list[bytes]:
    """The figures of a notebook, in order."""
    outputs = [output for cell in made.cells for output in cell.get("outputs", [])]
    return [base64.b64decode(output.data["image/png"]) for output in outputs if "image/png" in output.get("data", {})]


def take_pictures() -> None:
    """Runs the code of the page, and writes its figures to the pictures of the page, in order."""
    import io
    import tempfile

    from nbclient import NotebookClient
    from PIL import Image

    page = PAGE.read_text(encoding="utf-8")
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in CODE.findall(page)]
    made = nbformat.v4.new_notebook(cells=cells)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(made, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    for (_, file), picture in zip(PICTURE.findall(page), pictures(made), strict=True):
        path = PAGE.parent / file
        path.parent.mkdir(parents=True, exist_ok=True)
        small = Image.open(io.BytesIO(picture)).convert("RGB").quantize(64, dither=Image.Dither.NONE)
        small.save(path, optimize=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--pictures"]:
        take_pictures()
    NOTEBOOK.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
