"""What the name of a column says about it, in a few languages."""

import re
from collections.abc import Mapping

__all__ = ["ends_in", "known_by_outsiders", "numbers_people", "says"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORDS: Mapping[str, frozenset[str]] = {
    "name": _words("name names surname firstname lastname forename fullname vorname nachname nom prenom apellido"),
    "e-mail": _words("mail email emailaddress"),
    "phone": _words("phone telephone mobile cell tel telefon handy fax"),
    "id": _words("id ids nr no pid uid uuid guid ssn nhs ahv iban passport identifier identity licence"),
    "unit": _words("hhid hid household haushalt famid familyid firmid firm company unit patientid caseid"),
    "weight": _words("weight weights wgt wght fnlwgt gewicht hochrechnung poids pond"),
    "postcode": _words("zip zipcode postcode postalcode postal plz npa"),
    "icd10": _words("icd icd10 diag diagnosis diagnose"),
    "isco": _words("isco isco08"),
    "nace": _words("nace noga naics"),
    "nuts": _words("nuts nuts2 nuts3"),
    "sensitive": _words(
        "diag diagnosis diagnose disease illness krankheit condition hiv drug drugs medication treatment therapy "
        "disability income salary wage lohn einkommen religion party vote crime offence conviction orientation result"
    ),
    "amount": _words(
        "income eqincome salary wage wages earnings pay rent cost costs price value amount expenditure spending "
        "revenue sales turnover profit tax taxes benefit benefits pension wealth assets debt loan balance consumption "
        "einkommen lohn miete kosten preis betrag umsatz steuer rente vermögen revenu salaire loyer montant"
    ),
    "count": _words("size count n num rooms children persons years hours days"),
}
"""Words in names of columns, by what they say."""
KNOWN: Mapping[str, frozenset[str]] = {
    "age": _words("age iage alter edad ages dob yob birth birthday birthdate birthyear born geburt naissance"),
    "sex": _words("sex isex gender geschlecht sexe sexo"),
    "home": _words(
        "region state county district city town village municipality gemeinde ort kanton canton province zip "
        "zipcode postcode plz postal address street nuts country residence statenum urbrur urban rural regio"
    ),
    "family": _words(
        "marital marstat marriage married civil civilstatus zivilstand family familysize hhsize household "
        "children relat relationship spouse"
    ),
    "origin": _words(
        "race irace ethnic ethnicity etni nationality citizenship citizen native hispanic birthplace origin "
        "religion language konfession"
    ),
    "work": _words("occupation job beruf profession workclass employer industry isco nace occucode ward"),
    "schooling": _words("education educ school bildung degree diploma"),
    "death": _words("death died deathday deathmon"),
}
"""What neighbours, colleagues or a public register know of a person, and words for it."""
PEOPLE = _words(
    "patient person subject participant respondent individual client customer insured employee pupil "
    "student user donor household firm company establishment kunde mitarbeiter haushalt betrieb"
)
"""Whom a column numbers that bears only this word, or this word and one for a number."""
NUMBERED = _words("id ids nr no num number nummer code key")
NO_IDS = ("aid", "bid", "cid", "kid", "lid", "mid", "oid", "quid", "rid", "vid")
"""Ends of words such as paid, valid, thyroid and covid, which are no identifiers."""
LONG = 5
"""Words of so many letters are also found inside of others."""


def says(name: str, what: str) -> bool:
    """Return whether the name of a column says something.

    Examples
    --------
    >>> says("Vorname", "name"), says("sampling_weight", "weight"), says("tenant", "name")
    (True, True, False)
    """
    return _has(name, WORDS[what])


def ends_in(name: str, word: str) -> bool:
    """Return whether a part of a column's name ends in a word.

    Examples
    --------
    >>> ends_in("UTILNAME", "name"), ends_in("patient-id", "id"), ends_in("name of town", "town")
    (True, True, True)
    >>> ends_in("PAID.UP.CAPITAL", "id")
    False
    """
    parts = [part for part in re.split(r"[^a-z0-9]+", name.casefold()) if part == word or not part.endswith(NO_IDS)]
    return any(part.endswith(word) for part in parts)


def numbers_people(name: str) -> bool:
    """Return whether the name of a column is that of people or units alone, so that it holds their numbers.

    Examples
    --------
    >>> numbers_people("patient"), numbers_people("Customer_No"), numbers_people("customer_income")
    (True, True, False)
    """
    parts = [part for part in _parts(name) if part not in NUMBERED]
    return len(parts) == 1 and parts[0] in PEOPLE


def known_by_outsiders(name: str) -> str | None:
    """Return what outsiders know that the name of a column is about; None where they may not know it.

    Examples
    --------
    >>> known_by_outsiders("marital-status"), known_by_outsiders("EDUC1"), known_by_outsiders("wage")
    ('family', 'schooling', None)
    """
    return next((what for what, words in KNOWN.items() if _has(name, words)), None)


def _has(name: str, words: frozenset[str]) -> bool:
    parts = _parts(name)
    bare = [part.rstrip("0123456789") for part in parts]
    joined = "".join(parts)
    if words & {*parts, *bare, joined}:
        return True
    return any(len(word) >= LONG and word in part for word in words for part in parts)


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-zäöüé])(?=[A-Z])", " ", name)
    return [part for part in re.split(r"[^a-zäöüé0-9]+", spaced.casefold()) if part]
