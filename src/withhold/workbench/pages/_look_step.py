"""The second step: what the columns hold, and who is alone."""

from html import escape

from withhold.workbench._look import ColumnLook, Look
from withhold.workbench.pages._drawings import bars, listed, meter, number, said, share
from withhold.workbench.pages._part import Part, markup

__all__ = ["LookPart"]

OFTEN, SOMETIMES = 0.5, 0.15
LOUD = {"identifier": "bad", "amount": "bad"}
"""What a column may look like that must stand out."""


class LookPart(Part):
    """Everything that `inspect` reports, so that what is risky stands out."""

    watches = ("look", "data")

    def shows(self) -> object:
        """Return what it depends on."""
        return self.bench.versions["data"], self.bench.look is None

    def render(self) -> None:
        """Show it."""
        look = self.bench.look
        if look is None:
            waiting = "Counting values …" if self.bench.data else "Open a table first."
            markup(f'<div class="empty">{waiting}</div>')
            return
        markup(_alone(look))
        most = max((column.n_sets for column in look.columns), default=0) or 1
        rows = [_line(column, most, look.n_rows) for column in look.columns]
        header = ("column", "looks like", "values", "missing", "how they are spread", "makes people unique", "")
        markup(listed(header, rows, numbers=(2, 3)))


def _alone(look: Look) -> str:
    """Return the headline: how many people are alone, on how few columns."""
    if look.uniques is None or not look.uniques.rows:
        return '<div class="fine">No column could make anybody unique.</div>'
    part = look.share_alone
    kind = "bad" if part > OFTEN else "warn" if part > SOMETIMES else "good"
    size = len(look.uniques.rows)
    lines = []
    for k, n in enumerate(look.uniques.rows, start=1):
        rate = (n or 0) / look.n_rows
        tone = "bad" if rate > OFTEN else "warn" if rate > SOMETIMES else ""
        noun = "column" if k == 1 else "columns or fewer"
        lines.append(
            f'<div style="display:grid;grid-template-columns:11rem minmax(0,1fr) 9rem;gap:.8rem;align-items:center">'
            f"<span>on {k} {noun}</span>{meter(rate, tone, f'{rate:.0%}')}<span>{number(n or 0)} people</span></div>"
        )
    return (
        f'<div class="card risk"><div><div class="big {kind}">{share(part)}</div>'
        f'<div class="soft">of the people are alone<br>on {size} columns or fewer</div></div>'
        f"<div>{''.join(lines)}</div></div>"
    )


def _line(column: ColumnLook, most: int, n_rows: int) -> list[str]:
    profile = column.profile
    part = column.n_sets / most
    words = "often" if part > OFTEN else "sometimes" if part > SOMETIMES else "rarely" if column.n_sets else "never"
    tone = "bad" if words == "often" else "warn" if words == "sometimes" else ""
    unique = f'{meter(part, tone, words)}<span class="small soft">{words}</span>'
    if profile.looks == "identifier":
        unique = f'<span class="pill bad">{number(profile.n_unique)} people alone with it</span>'
    missing = number(profile.n_missing) if profile.n_missing else '<span class="soft">0</span>'
    note = f'<span class="small soft">{said(profile.note)}</span>'
    return [
        f"<b>{escape(profile.name)}</b>",
        f'<span class="pill {LOUD.get(profile.looks, "")}">{profile.looks}</span>',
        number(profile.n_distinct),
        missing,
        bars(column.bars, f"How {profile.name} is spread"),
        unique,
        note,
    ]
