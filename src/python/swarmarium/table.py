"""Tables of results."""

from __future__ import annotations

import csv
import html
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas
    import polars


class Table:
    """Rows under named columns, such as the metrics of a run.

    `table["circliness"]` is a column as an array, `table.array` the whole table, `table.frame()` a data frame.
    """

    def __init__(self, columns: list[str], data: npt.NDArray[np.float64] | dict[str, npt.NDArray[Any]]):
        """Names the columns of an array."""
        self.columns: tuple[str, ...] = tuple(columns)
        """The names of the columns."""
        if isinstance(data, dict):
            self._data = data
        else:
            self._data = {name: data[:, place] for place, name in enumerate(columns)}

    @classmethod
    def read(cls, path: str | Path) -> Table:
        """Reads a table from a CSV file with a header.

        ```python
        table = sw.Table.read("runs/mine/metrics.csv")
        ```
        """
        # A pipe would block, and a device can have no end.
        if Path(path).exists() and not Path(path).is_file():
            raise OSError(f"{path}: is not a regular file")
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        cells = list(zip(*rows)) or [() for _ in header]
        return cls(header, {name: _column(name, column) for name, column in zip(header, cells)})

    @property
    def array(self) -> npt.NDArray[Any]:
        """The rows as an array with two axes; of objects if a column has texts."""
        if not self.columns:
            return np.empty((0, 0))
        return np.column_stack([self._data[name] for name in self.columns])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            return self._data[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}: the columns are {', '.join(self.columns)}") from None

    def __len__(self) -> int:
        return len(self._data[self.columns[0]]) if self.columns else 0

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`.

        ```python
        sim.run().to_pandas().plot(x="t_s", y="circliness")
        ```
        """
        import pandas

        return pandas.DataFrame(self._data)

    def to_polars(self) -> polars.DataFrame:
        """The table as a `polars.DataFrame`.

        ```python
        sim.run().to_polars().select("t_s", "circliness")
        ```
        """
        import polars

        return polars.DataFrame({name: list(column) for name, column in self._data.items()}, strict=False)

    def frame(self) -> pandas.DataFrame:
        """The table as a data frame of pandas. Without pandas, it is one of polars, which `to_polars` always gives.

        Raises:
            ImportError: if neither is installed.

        ```python
        sim.run().frame().describe()
        ```
        """
        if importlib.util.find_spec("pandas"):
            return self.to_pandas()
        if importlib.util.find_spec("polars"):
            return self.to_polars()  # type: ignore[return-value]
        raise ImportError("a data frame needs pandas or polars: pip install pandas")

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        rows = [[self._data[name][row] for name in self.columns] for row in range(min(len(self), 10))]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{_shown(value)}</td>" for value in row) + "</tr>" for row in rows)
        more = f"<p>{len(self)} rows</p>" if len(self) > len(rows) else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"


def _shown(value: Any) -> str:
    """A cell for a page."""
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else html.escape(str(value))


def _column(name: str, cells: Sequence[str]) -> npt.NDArray[Any]:
    """Cells as an array: of numbers if all are, with NaN for empty ones. Hashes are texts, whatever their digits."""
    filled = [cell for cell in cells if cell]
    if not name.endswith("hash"):
        if filled and set(filled) <= {"true", "false"} and len(filled) == len(cells):
            return np.array([cell == "true" for cell in cells], dtype=bool)
        for number in (int, float):
            try:
                found = [number(cell) if cell else np.nan for cell in cells]
            except ValueError:
                continue
            if number is float or len(filled) < len(cells):
                return np.array(found, dtype=np.float64)
            big = any(not -(2**63) <= one < 2**63 for one in found)
            return np.array(found, dtype=np.uint64 if big else np.int64)
    return np.array(cells, dtype=object)
