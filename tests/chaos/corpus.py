"""Inputs that fuzzing starts from, one list a reader."""

import json
from functools import cache
from pathlib import Path

import duckdb

import withhold as wh

__all__ = ["TOKENS", "seeds"]

TOKENS = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b'""', b"'", b",", b";", b"\t", b"\r", b"\r\n", b"\n", b"*", b"nan",
    b"inf", b"1e999", b"-0", b"9" * 40, b"{", b"}", b"[", b"]", b"[[", b"]]", b"=", b"#", b"null", b"true", b"PAR1",
    "\u200b".encode(), "\u202e".encode(), "é".encode("latin-1"), b"=cmd|' /C calc'!A0", b"k = ", b"kind", b"where = ",
    b"(" * 50, b"[" * 50, b'"a" = ', b"..", b"/", b"\\", b"$", b"range", b"[0, 120]",
]  # fmt: skip
"""What the readers pay attention to."""

POLICIES = [
    'recoding = "local"\ntarget = "c"\ndrop = ["d"]\n[columns.a]\ntype = "number"\nrange = [0, 120]\n'
    '[[require]]\nkind = "anonymity"\ncolumns = ["a", "b"]\nk = 5\n',
    '[[require]]\nkind = "template"\ngiven = ["a"]\nhide = { b = ["x", "y"] }\nat_most = 0.5\n',
    '[[require]]\nkind = "hidden"\ncolumn = "b"\nwhere = "a > 3 AND b = \'x\'"\n'
    'against = [{ adversary = "rules", confidence = 0.8, support = 0.01 }, "id3"]\n',
    '[[require]]\nkind = "risk"\nknown = { a = 0.05 }\nsensitive = { b = { Yes = 1.0 } }\nalpha = 100\nat_most = 0.01\n',
    '[[require]]\nkind = "diversity"\ncolumns = ["a"]\nsensitive = "b"\nl = 3\nmodel = "entropy"\n'
    '[[require]]\nkind = "closeness"\ncolumns = ["a"]\nsensitive = "b"\nt = 0.2\n',
    'rows = "shuffle"\nmissing = ["?"]\n[columns.a]\nbins = 8\nweight = 2.0\n[columns.b]\ntaxonomy = "t.csv"\n'
    '[[require]]\nkind = "anonymity"\ncolumns = ["b"]\nk = 2\ninformed = true\n',
]
TREES = {
    "csv": ["a;A;*\nb;A;*\nc;B;*\n", "1,odd\n2,even\n3,odd\n", '"x;y";z\n"q""r";z\n'],
    "json": ['{"*": {"A": ["a", "b"], "B": {"c": {}}}}'],
    "toml": ['["*".A]\na = {}\nb = {}\n["*".B]\nc = {}\n'],
}
TABLES = [
    "age,sex,job\n30,f,clerk\n31,m,\n42,f,nurse\n",
    'a;b;c\n1,5;"x;y";\n2,5;"q""r";z\n',
    "a\tb\n1\t2\n3\t4\n",
    '\ufeff"first name",b\n"new\nline",2\n=1+1,-3\n',
    "d,t\n2020-01-01,12:30\n2021-02-29,x\n",
]


@cache
def seeds(reader: str, folder: Path) -> tuple[bytes, ...]:
    """Return the inputs of a reader; `folder` is for what has to be written first."""
    if reader == "policy":
        return tuple(text.encode() for text in POLICIES)
    if reader == "csv":
        return tuple(text.encode() for text in TABLES)
    if reader.startswith("tree-"):
        return tuple(text.encode() for text in TREES[reader.removeprefix("tree-")])
    return _parquet(folder) if reader == "parquet" else _sidecars(folder)


def _parquet(folder: Path) -> tuple[bytes, ...]:
    found = []
    queries = (
        "SELECT i % 3 AS a, 'x' || i % 4 AS b, (i % 5)::DOUBLE AS c FROM range(50) AS t(i)",
        "SELECT [i] AS a, {'z': i} AS s, ('\\xAA')::BLOB AS b, DATE '2020-01-01' AS d FROM range(9) AS t(i)",
    )
    connection = duckdb.connect()
    for number, query in enumerate(queries):
        path = folder / f"seed{number}.parquet"
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        found.append(path.read_bytes())
    connection.close()
    return tuple(found)


def _sidecars(folder: Path) -> tuple[bytes, ...]:
    """Return records of real releases; their fingerprint is put right again by the reader."""
    path = folder / "sidecar.csv"
    found = []
    for recoding in ("local", "global"):
        policy = wh.Policy([wh.Anonymity(columns=["Education", "Sex"], k=4)], target="Class", recoding=recoding)
        wh.release(wh.samples.tds_table1(), policy).write(path)
        found.append(json.dumps(json.loads(Path(f"{path}.report.json").read_text(encoding="utf-8"))).encode())
    return tuple(found)
