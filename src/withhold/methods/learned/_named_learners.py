"""Learners of scikit-learn by their names; it is imported when one is needed."""

from collections.abc import Sequence
from typing import Any

from withhold.errors import InputError, MissingExtraError, did_you_mean

__all__ = ["STANDARD", "learners_of", "name_of", "seeded"]

STANDARD = ("LogisticRegression", "RandomForestClassifier", "BernoulliNB")
"""What ``any`` stands for: a linear one, one of trees, and one that counts; others are held out for the check."""
SETTINGS: dict[str, dict[str, Any]] = {
    "LogisticRegression": {"max_iter": 60, "tol": 1e-3},
    "RandomForestClassifier": {"n_estimators": 40, "min_samples_leaf": 2, "max_samples": 0.5},
}
"""Settings that cost less and guess as well."""


def learners_of(learners: Sequence[Any] = STANDARD) -> list[Any]:
    """Return estimators, given by name or as they are.

    Examples
    --------
    >>> [type(each).__name__ for each in learners_of(["BernoulliNB"])]
    ['BernoulliNB']
    """
    try:
        from sklearn.utils import all_estimators
    except ImportError:
        raise MissingExtraError("scikit-learn", extra="audit", purpose="protection from any learner") from None
    known = dict(all_estimators(type_filter="classifier"))
    found = []
    for each in learners:
        if not isinstance(each, str):
            found.append(each)
        elif each in known:
            found.append(_made(each, known[each]))
        else:
            raise InputError(f'scikit-learn has no classifier "{each}"{did_you_mean(each, known)}')
    return found


def _made(name: str, kind: Any) -> Any:
    try:
        return kind(**SETTINGS.get(name, {}))
    except TypeError:
        raise InputError(
            f"{name} needs other learners to be made of. Hint: pass it as an object, from Python."
        ) from None


def name_of(learner: Any) -> str:
    """Return the name of a learner."""
    return type(learner).__name__


def seeded(learner: Any, seed: int) -> Any:
    """Return an unfitted copy of a learner that draws from a seed, where it draws."""
    from sklearn.base import clone

    made = clone(learner)
    if "random_state" in made.get_params(deep=False):
        made.set_params(random_state=seed)
    return made
