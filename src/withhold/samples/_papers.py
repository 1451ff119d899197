"""The example tables of the papers."""

from withhold.table import Domain, Numbers, Table, Taxonomy

__all__ = ["tds_table1"]


def tds_table1() -> Table:
    """Return Table 1 of the TDS paper: 34 records of education, sex and weekly hours, with an income class.

    Examples
    --------
    >>> tds_table1()
    <Table: 34 rows, 4 columns>
    """
    groups = [
        ("9th", "M", 30, 0, 3),
        ("10th", "M", 32, 0, 4),
        ("11th", "M", 35, 2, 3),
        ("12th", "F", 37, 3, 1),
        ("Bachelors", "F", 42, 4, 2),
        ("Bachelors", "F", 44, 4, 0),
        ("Masters", "M", 44, 4, 0),
        ("Masters", "F", 44, 3, 0),
        ("Doctorate", "F", 44, 1, 0),
    ]
    rows = [(e, s, h, c) for e, s, h, yes, no in groups for c in ["Y"] * yes + ["N"] * no]
    education = Taxonomy.from_nested(
        {
            "ANY_Edu": {
                "Secondary": {"Junior Sec.": ["9th", "10th"], "Senior Sec.": ["11th", "12th"]},
                "University": {"Bachelors": {}, "Grad School": ["Masters", "Doctorate"]},
            }
        }
    )
    columns = dict(zip(("Education", "Sex", "Work_Hrs", "Class"), zip(*rows, strict=True), strict=True))
    domains: dict[str, Domain] = {
        "Education": education,
        "Sex": Taxonomy.flat(["M", "F"], root="ANY_Sex"),
        "Work_Hrs": Numbers([30, 32, 35, 37, 42, 44], bounds=(1, 99)),
    }
    return Table.from_columns(columns, domains=domains)
