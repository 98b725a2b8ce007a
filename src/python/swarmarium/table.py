"""Tables of results."""

from __future__ import annotations

import csv
import html
import importlib.util
from collections.abc import ItemsView, Iterator, KeysView, Sequence, ValuesView
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from .names import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars


class Table:
    """Rows under named columns, such as the metrics of a run.

    `table["circliness"]` is a column as an array, `table[["t_s", "circliness"]]` a table of some columns, `table.array` the
    whole table, as is `np.asarray(table)`, and `table.frame()` a data frame. As in a data frame, `len` counts the rows, and
    loops and `in` are about the names of the columns: `dict(table)` has the columns by name.

    >>> import swarmarium as sw
    >>> table = sw.load("milling", seed=1).run(40)
    >>> table[["t_s", "circliness"]], "circliness" in table
    (Table(40 rows: t_s, circliness), True)
    """

    def __init__(
        self,
        columns: Sequence[str],
        data: npt.NDArray[np.float64] | dict[str, npt.NDArray[Any]],
        *,
        whole: Sequence[str] = (),
    ):
        """Names the columns of an array; those in `whole` have whole numbers."""
        self.columns: tuple[str, ...] = tuple(columns)
        """The names of the columns."""
        if isinstance(data, dict):
            self._data = data
        else:
            self._data = {name: data[:, place] for place, name in enumerate(columns)}
        for name in whole:
            self._data[name] = self._data[name].astype(np.int64)

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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a table has no array of its own: copy=False is not possible")
        return self.array if dtype is None else self.array.astype(dtype)

    @overload
    def __getitem__(self, name: str) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, name: list[str]) -> Table: ...
    def __getitem__(self, name: str | list[str]) -> npt.NDArray[Any] | Table:
        if isinstance(name, list):
            return Table(name, {one: self[one] for one in name})
        if not isinstance(name, str):
            found = type(name).__name__
            raise TypeError(f"expected the name of a column or a list of names, found {found}; frame() selects rows")
        if name not in self:
            known, hint = ", ".join(self.columns), did_you_mean(name, self.columns)
            raise KeyError(f"there is no column {name!r}: the columns are {known}{hint}")
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def keys(self) -> KeysView[str]:
        """The names of the columns.

        >>> import swarmarium as sw
        >>> list(sw.load("milling", seed=1).run(40).keys())[:3]
        ['step', 't_s', 'circliness']
        """
        return self._data.keys()

    def values(self) -> ValuesView[npt.NDArray[Any]]:
        """The columns.

        ```python
        means = [column.mean() for column in table.values()]
        ```
        """
        return self._data.values()

    def items(self) -> ItemsView[str, npt.NDArray[Any]]:
        """The names of the columns, each with its column.

        ```python
        means = {name: column.mean() for name, column in table.items()}
        ```
        """
        return self._data.items()

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
