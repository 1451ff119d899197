"""Random tables with private cells, as the FAiR / GraDeS paper draws them."""

import numpy as np

from withhold.errors import InputError
from withhold.table import MemoryStore, Table

__all__ = ["synthetic"]


def synthetic(
    rows: int = 10_000,
    columns: int = 10,
    cardinality: int = 10,
    zipf: float = 2.0,
    private: float = 0.01,
    *,
    seed: int = 0,
) -> tuple[Table, list[tuple[int, str]]]:
    """Draw a table of independent columns whose values follow a Zipf law, and private cells spread over it.

    Parameters
    ----------
    rows, columns
        The size of the table.
    cardinality
        The number of values of a column, ``v1`` … ; value i has a chance in proportion to 1 / i ** zipf.
    zipf
        The Zipf factor; 0 makes all values equally likely.
    private
        The share of the cells that are private, drawn without replacement.
    seed
        Seed of the random numbers. The same arguments give the same table.

    Returns
    -------
        The table, and its private cells as (row, column) pairs, row by row.

    References
    ----------
    C. C. Aggarwal, J. Pei, B. Zhang: On Privacy Preservation against Adversarial Data Mining. KDD 2006, section 6.1.

    Examples
    --------
    >>> table, private = synthetic(rows=100, seed=1)
    >>> table, len(private)
    (<Table: 100 rows, 10 columns>, 10)
    """
    if min(rows, columns, cardinality) < 1 or not 0 <= private <= 1:
        raise InputError("synthetic: rows, columns and values must be at least 1, and `private` between 0 and 1.")
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, cardinality + 1) ** float(zipf)
    codes = rng.choice(cardinality, size=(rows, columns), p=chances / chances.sum())
    cells = np.sort(rng.choice(rows * columns, size=round(private * rows * columns), replace=False))
    names = [f"A{j + 1}" for j in range(columns)]
    values = [f"v{i + 1}" for i in range(cardinality)]
    cells_of = {name: codes[:, j].astype(np.uint32) for j, name in enumerate(names)}
    store = MemoryStore(dict.fromkeys(names, values), cells_of)
    where = zip(*(part.tolist() for part in np.divmod(cells, columns)), strict=True)
    return Table(store), [(row, names[column]) for row, column in where]
