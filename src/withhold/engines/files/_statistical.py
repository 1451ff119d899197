"""Stata, SPSS and SAS files: labels instead of codes, declared missing codes as missing, variable labels kept."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from withhold.engines.files._extras import imported
from withhold.engines.files._reading import Loaded, Reading
from withhold.errors import DataError, OutputError

__all__ = ["read_statistical", "write_statistical"]

READERS = {
    ".dta": "read_dta",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".sav": "read_sav",
    ".xpt": "read_xport",
    ".zsav": "read_sav",
}
LONGEST_TEXT = 32_767
EXACT = 1 << 53
"""Up to here every whole number is a floating-point number, the only numbers these files hold."""


def read_statistical(path: Path, reading: Reading) -> Loaded:
    """Read a file by its suffix; codes that it declares as missing are missing, and so are empty texts.

    A column whose every value has a label is read as labels. One with labels for some values only, such as an age with
    ``97 = "97 or more"``, keeps its numbers.
    """
    what = f"reading {path.suffix.lower()} files"
    arrow, stat = imported("pyarrow", purpose=what), imported("pyreadstat", purpose=what)
    words: dict[str, Any] = {"output_format": "dict"}
    if reading.encoding is not None and path.suffix.lower() != ".por":
        words["encoding"] = reading.encoding
    try:
        cells, about = getattr(stat, READERS[path.suffix.lower()])(str(path), **words)
        formats = _catalog(stat, path, about)
        ranges = _missing_ranges(stat, path, words)
    except Exception:  # its messages may quote cells
        hint = "Hint: is it damaged, or in another encoding (--encoding)?"
        raise DataError(f"{path.name}: cannot be read as {path.suffix.lower()}. {hint}") from None
    columns = {name: _column(arrow, values) for name, values in cells.items()}
    coded = {name: dict(labels) for name, labels in formats.items() if name in columns}
    if reading.values == "labels":
        columns = {name: _labelled(arrow, column, coded.get(name, {})) for name, column in columns.items()}
        coded = {}
    labels = {name: label for name, label in about.column_names_to_labels.items() if label}
    declared = {name: _declared(each) for name, each in ranges.items() if name in columns and _declared(each)}
    return Loaded(table=arrow.table(columns), labels=labels, value_labels=coded, missing_codes=declared)


def write_statistical(
    path: Path, table: Any, *, labels: Mapping[str, str], value_labels: Mapping[str, Mapping[Any, str]]
) -> None:
    """Write a table as a Stata or SPSS file, with variable labels, and value labels of the codes that rows hold."""
    what = f"writing {path.suffix.lower()} files"
    arrow, stat = imported("pyarrow", purpose=what), imported("pyreadstat", purpose=what)
    imported("pandas", purpose=what)
    is_whole = {field.name for field in table.schema if arrow.types.is_integer(field.type)}
    columns = {name: _plain(arrow, table.column(name)) for name in table.column_names}
    held = {name: _held(value_labels[name], table.column(name)) for name in value_labels if name in columns}
    words: dict[str, Any] = {"column_labels": dict(labels), "variable_value_labels": held}
    if path.suffix.lower() != ".dta":
        words |= {"variable_format": dict.fromkeys(is_whole, "F8.0"), "compress": path.suffix.lower() == ".zsav"}
        _check_lengths(arrow, columns)
    write = stat.write_dta if path.suffix.lower() == ".dta" else stat.write_sav
    try:
        write(arrow.table(columns).to_pandas(date_as_object=True), str(path), **words)
    except OSError:
        raise
    except Exception:  # its messages may quote cells
        long = [name for name in columns if len(name.encode()) > (32 if path.suffix.lower() == ".dta" else 64)]
        odd = [name for name in columns if not name.isidentifier()]
        about = f'Hint: it has no place for a column called "{(long or odd)[0]}".' if long or odd else ""
        raise OutputError(f"the release cannot be written as {path.suffix.lower()}. {about}".rstrip()) from None


def _check_lengths(arrow: Any, columns: Mapping[str, Any]) -> None:
    """Refuse texts that SPSS has no place for: a file that holds them cannot be read again."""
    compute = imported("pyarrow.compute", purpose="writing statistical files")
    for name, column in columns.items():
        is_text = arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)
        if is_text and (compute.max(compute.binary_length(column)).as_py() or 0) > LONGEST_TEXT:
            what = f'column "{name}" has a text of more than {LONGEST_TEXT:,} bytes, the most that SPSS holds.'
            raise OutputError(f"{what} Hint: another kind of file, or drop the column.")


def _catalog(stat: Any, path: Path, about: Any) -> Mapping[str, Mapping[Any, str]]:
    """Return what codes mean, by column; SAS keeps that in a file of its own, which lies beside under the same name."""
    catalog = path.with_suffix(".sas7bcat")
    if path.suffix.lower() != ".sas7bdat" or not catalog.exists():
        return dict(about.variable_value_labels)
    formats = stat.read_sas7bcat(str(catalog), output_format="dict")[1].value_labels
    return {name: formats[each] for name, each in about.variable_to_label.items() if each in formats}


def _missing_ranges(stat: Any, path: Path, words: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an SPSS file declares as missing; its reader lists that only where such cells are kept."""
    if path.suffix.lower() not in (".sav", ".zsav"):
        return {}
    return dict(stat.read_sav(str(path), metadataonly=True, user_missing=True, **words)[1].missing_ranges)


def _declared(ranges: Any) -> tuple[str, ...]:
    """Return single codes that a file declares as missing; of a range no list can be made."""
    codes = [each["lo"] for each in ranges if each["lo"] == each["hi"]]
    whole = [isinstance(code, float) and code.is_integer() for code in codes]
    return tuple(str(int(code)) if is_whole else str(code) for code, is_whole in zip(codes, whole, strict=True))


def _column(arrow: Any, values: Any) -> Any:
    """Return a column; whole numbers as such, for these files hold all numbers as floating-point ones."""
    compute = imported("pyarrow.compute", purpose="reading statistical files")
    column = arrow.array(values, from_pandas=True)
    if arrow.types.is_floating(column.type):
        is_whole = compute.all(compute.equal(compute.floor(column), column)).as_py()
        largest = compute.max(compute.abs(column)).as_py()
        return column.cast("int64") if is_whole is not False and (largest or 0) < EXACT else column
    if arrow.types.is_string(column.type):
        return compute.if_else(compute.equal(column, ""), None, column)
    return column.cast("string") if arrow.types.is_null(column.type) else column


def _labelled(arrow: Any, column: Any, labels: Mapping[Any, str]) -> Any:
    """Return a column with labels instead of codes, where each of its values has one."""
    coded = column.dictionary_encode()
    codes = coded.dictionary.to_pylist()
    if not codes or any(code not in labels for code in codes):
        return column
    texts = [str(labels[code]) for code in codes]
    # Two codes with one label would become one value.
    texts = [f"{text} ({code})" if texts.count(text) > 1 else text for text, code in zip(texts, codes, strict=True)]
    return arrow.array(texts, type=arrow.string()).take(coded.indices)


def _held(labels: Mapping[Any, str], column: Any) -> dict[Any, str]:
    """Return the labels of the codes that rows hold; a label of any other would reveal who is not published."""
    found = set(column.unique().to_pylist())
    return {code: label for code, label in labels.items() if code in found}


def _plain(arrow: Any, column: Any) -> Any:
    """Return a column of a type that these files have: floating-point numbers, dates, moments, text."""
    compute = imported("pyarrow.compute", purpose="writing statistical files")
    kind = column.type
    if arrow.types.is_integer(kind):
        ends = compute.min_max(column).as_py()
        is_exact = max(abs(ends["min"] or 0), abs(ends["max"] or 0)) < EXACT
        return column.cast("float64") if is_exact else _plain(arrow, column.cast("string"))
    if arrow.types.is_timestamp(kind):
        has_fractions = compute.any(compute.not_equal(compute.subsecond(column), 0)).as_py()
        return _plain(arrow, column.cast("string")) if has_fractions else column
    if arrow.types.is_string(kind) or arrow.types.is_large_string(kind):
        return compute.fill_null(column, "")
    return column
