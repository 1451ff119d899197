"""The example tables of the papers."""

from withhold.table import Domain, Numbers, Table, Taxonomy

__all__ = ["pda_table1", "tds_table1", "thesis_table1", "thesis_table4"]


def pda_table1() -> Table:
    """Return Table 1 of the PDA paper: 24 records of job, country and child, a bankruptcy state and a credit rating.

    Examples
    --------
    >>> pda_table1()
    <Table: 24 rows, 5 columns>
    """
    groups = [
        ("Cook", "US", "No", "Current", 0, 4),
        ("Artist", "France", "No", "Current", 1, 3),
        ("Doctor", "US", "Yes", "Never", 4, 2),
        ("Trader", "UK", "No", "Discharged", 4, 0),
        ("Trader", "UK", "No", "Never", 1, 0),
        ("Trader", "Canada", "No", "Never", 1, 0),
        ("Clerk", "Canada", "No", "Never", 3, 0),
        ("Clerk", "Canada", "No", "Discharged", 1, 0),
    ]
    rows = [(*values, c) for *values, good, bad in groups for c in ["Good"] * good + ["Bad"] * bad]
    names = ("Job", "Country", "Child", "Bankruptcy", "Rating")
    return Table.from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)))


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


def thesis_table1() -> Table:
    """Return Table 1.1 of the suppression thesis: nine medical records with three symptoms and a diagnosis.

    Examples
    --------
    >>> thesis_table1()
    <Table: 9 rows, 7 columns>
    """
    names = ("Zipcode", "Gender", "Age", "Indigestion", "Chest Pain", "Palpitation", "Diagnosis")
    rows = [
        ("90302", "Female", "29", "Y", "N", "Y", "Dyspepsia"),
        ("90410", "Male", "22", "N", "Y", "Y", "Angina Pectoris"),
        ("90301", "Male", "27", "Y", "N", "N", "Dyspepsia"),
        ("90310", "Female", "43", "Y", "N", "N", "Gastritis"),
        ("90301", "Male", "52", "N", "Y", "Y", "Gastritis"),
        ("90410", "Male", "47", "Y", "Y", "Y", "Angina Pectoris"),
        ("90305", "Female", "30", "N", "N", "Y", "Angina Pectoris"),
        ("90402", "Male", "36", "N", "Y", "Y", "Angina Pectoris"),
        ("90301", "Male", "52", "Y", "Y", "Y", "Gastritis"),
    ]
    domains: dict[str, Domain] = dict.fromkeys(names[3:6], Taxonomy.flat(["Y", "N"]))
    domains["Diagnosis"] = Taxonomy.flat(["Dyspepsia", "Angina Pectoris", "Gastritis"])
    return Table.from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)), domains=domains)


def thesis_table4() -> Table:
    """Return Table 4.1 of the suppression thesis: 18 medical records with graded symptoms, and their taxonomies.

    The one cell that is coarse in the print, nausea of the second record, is missing here.

    Examples
    --------
    >>> thesis_table4().domain("Diagnosis").to_nested()["ANY"]["Gastric Disease"]
    {'Dyspepsia': {}, 'Gastritis': {}}
    """
    names = ("Indigestion", "Chest Pain", "Palpitation", "Nausea", "Burning", "Diagnosis")
    graded = {
        "Dyspepsia": ("44252", "454?4", "52335", "33342", "22533", "44324"),
        "Gastritis": ("34333", "52442", "33443", "32455", "45235", "43324"),
        "S.I. Ulcer": ("32323", "52234", "43222", "34534", "43345"),
    }
    rows = [(*grades, diagnosis) for diagnosis, records in graded.items() for grades in records]
    rows.append((*"44334", "Dyspepsia"))
    symptom = Taxonomy.from_nested({"ANY": {"Low": ["1", "2"], "Mid-High": {"3": {}, "High": ["4", "5"]}}})
    domains: dict[str, Domain] = dict.fromkeys(names[:5], symptom)
    domains["Diagnosis"] = Taxonomy.from_nested(
        {"ANY": {"Gastric Disease": ["Dyspepsia", "Gastritis"], "Intestinal Disease": ["S.I. Ulcer"]}}
    )
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return Table.from_columns(columns, domains=domains, missing=["?"])
