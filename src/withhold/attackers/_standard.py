"""The attackers that every audit lets loose."""

from collections.abc import Collection, Mapping, Sequence

from withhold.attackers._attacker import Attacker
from withhold.attackers._bayes_attackers import KnownBayes, PapersBayes, SmoothedBayes
from withhold.attackers._exact._nodes import Order
from withhold.attackers._fill_in import FillIn
from withhold.attackers._id3_attacker import DecisionTree
from withhold.attackers._informed import SecondGuess, SecondGuessWhereBlanked
from withhold.attackers._learners import Boosting, Forest, LinearMachine, LogisticRegression
from withhold.attackers._named import Named
from withhold.attackers._neighbours import Neighbours
from withhold.attackers._reduced import ReducedModel
from withhold.attackers._rule_attacker import Rules
from withhold.attackers._simulate import Simulate

__all__ = ["standard_attackers"]


def standard_attackers(
    *,
    learners: bool = True,
    informed: bool = True,
    against: Collection[str] = ("naive-bayes", "id3"),
    order: Order = None,
    promised: Mapping[str, Sequence[str]] | None = None,
) -> list[Attacker]:
    """Return one attacker of each kind, the named adversaries first and those who know the algorithm last.

    Parameters
    ----------
    learners
        With the learners of the extra ``audit``.
    informed
        With those who know that a release keeps named adversaries from guessing right, where there are any.
    against
        The classifiers that the policy names, which the informed know to fail: ``naive-bayes``, ``id3`` or both. With
        none, nothing can be struck, and the informed are left out.
    order
        The order of the values that decides ties of ID3, as in `id3_recovers`.
    promised
        For a hidden column the predictors that the policy names: the informed know that the named adversaries fail with
        these, and nothing of others. All columns where it is not given.

    Examples
    --------
    >>> [attacker.name for attacker in standard_attackers(learners=False, informed=False)]
    ['naive-bayes', 'naive-bayes-smoothed', 'naive-bayes-known', 'id3', 'rules', 'nearest-neighbours']
    """
    named = Named(order=order)
    found: list[Attacker] = [
        PapersBayes(named),
        SmoothedBayes(),
        KnownBayes(),
        DecisionTree(named),
        Rules(),
        Neighbours(),
    ]
    if learners:
        found += [LogisticRegression(), LinearMachine(), Forest(), Boosting(), FillIn(), ReducedModel()]
    if informed and against:
        named = Named(order=order, promised=promised) if promised else named
        found += [kind(named, against=against) for kind in (SecondGuess, SecondGuessWhereBlanked, Simulate)]
    return found
