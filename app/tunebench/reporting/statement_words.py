"""What is said of statements and of DB time, in the same words in the window, on the command line and in documents."""

from __future__ import annotations

from tunebench.analysis.comparing.judging import LEAST_S
from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.explained import ClassStep, Explanation, Step
from tunebench.analysis.databases.profile_lines import Basis, LineKind
from tunebench.analysis.databases.side_by_side import CounterLine
from tunebench.analysis.databases.statement_comparison import FigureChange, StatementClass, StatementComparison
from tunebench.analysis.databases.statement_periods import LEAST_EXECUTIONS
from tunebench.analysis.inference.occurrences import Change, Settling
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.statement_names import pair_name, pair_name_with_id
from tunebench.core.messages import Catalogue
from tunebench.domain.windows import WindowLoad

_VERDICTS = frozenset(verdict.value for verdict in Verdict)


def class_text(outcome: StatementClass | Verdict, messages: Catalogue) -> str:
    """A verdict is called as that of a series is."""
    prefix = "compare.verdict" if outcome.value in _VERDICTS else "database.change"
    return messages.text(f"{prefix}.{outcome.value}")


def reason_text(reason: str, messages: Catalogue) -> str:
    lengths = {load.value: f"{LEAST_S[load] / 60:.0f}" for load in WindowLoad}
    return messages.text(f"database.reason.{reason}", least=LEAST_EXECUTIONS, **lengths) if reason else ""


def basis_text(figure: FigureChange, messages: Catalogue) -> str:
    """Why it is judged so, how much periods differ, and what would settle it."""
    if figure.judged is None:
        return ""
    change, settled_by = figure.judged
    sentences = (
        reason_text(figure.reason, messages),
        variation_text(change, messages),
        settled_text(settled_by, messages),
    )
    return " ".join(part for part in sentences if part)


def variation_text(change: Change, messages: Catalogue) -> str:
    facts: dict[str, object] = {"before": change.before, "after": change.after, "sd": f"{100 * change.sd:.1f}"}
    facts["windows"] = ", ".join(change.windows)
    sentence = messages.text(f"database.variation.{change.source}", **facts)
    return f"{sentence} {messages.text('database.variation.paired')}" if change.paired else sentence


def settled_text(settling: Settling | None, messages: Catalogue) -> str:
    if settling is None:
        return ""
    return messages.text("database.settled", count=settling.occurrences, pct=f"{100 * settling.change:.0f}")


def time_text(change: TimeChange, messages: Catalogue) -> str:
    """``Sessions at work: 1.51-2.23 -> 0.93-1.36``, what the verdict is on where the work differs, and why there is
    none."""
    ranges = ["–".join(dict.fromkeys(f"{end:,.2f}" for end in (min(side), max(side)))) for side in change.sides]
    words = messages.text("database.time", before=ranges[0], after=ranges[1])
    if change.per_unit_of and change.work is not None:
        work = {"before": f"{change.work[0]:,.1f}", "after": f"{change.work[1]:,.1f}"}
        words += f" · {messages.text(f'database.time.per_{change.per_unit_of}', **work)}"
    return " · ".join(filter(None, (words, reason_text(change.reason, messages))))


def statistic_text(line: CounterLine, messages: Catalogue) -> str:
    """As the database calls it, but for what is counted of files."""
    return _of_files(line, f"database.io.{line.statistic}", messages) or line.statistic


def group_text(line: CounterLine, messages: Catalogue) -> str:
    """Kind of file or segment, or the scope of a statistic."""
    return _of_files(line, f"database.io.kind.{line.group}", messages) or line.group


def _of_files(line: CounterLine, key: str, messages: Catalogue) -> str:
    return messages.text(key) if line.table == "io" and key in messages else ""


def explained_text(explanation: Explanation, messages: Catalogue) -> str:
    """DB time before and after, the change, and what it would be at equal work, in a sentence or two."""
    amounts = {"before": explanation.before, "after": explanation.after, "equal": explanation.at_equal_work}
    facts = {name: amount_text(value) for name, value in amounts.items()}
    key = "per_second" if explanation.basis is Basis.PER_SECOND else "total"
    sentence = messages.text(f"database.explained.{key}", change=signed_amount(explanation.change), **facts)
    meaning = messages.text("report.db.note_statement_time") if explanation.times_statements else ""
    return f"{sentence} {meaning}".strip()


def step_texts(
    step: Step, statements: StatementComparison, messages: Catalogue, with_id: bool = True
) -> tuple[str, str, str]:
    """The cause, of which statement, and what it added."""
    cause = messages.text(f"database.step.{step.kind}")
    amount = signed_amount(step.amount)
    ends = {"low": signed_amount(step.low), "high": signed_amount(step.high)}
    if ends["low"] != ends["high"]:
        amount = messages.text("database.step.from_to", amount=amount, **ends)
    if step.place is None:
        return cause, messages.text("database.step.others", count=f"{step.count:,}") if step.count else "", amount
    named = pair_name_with_id if with_id else pair_name
    return cause, named(statements, statements.pairs[step.place], messages), amount


def class_step_texts(step: ClassStep, messages: Catalogue) -> tuple[str, str]:
    """Processor time, a wait class as the database calls it, or what nothing accounts for; and what it added."""
    return line_text(step.kind, step.name, messages), signed_amount(step.amount)


def line_text(kind: LineKind, name: str, messages: Catalogue) -> str:
    """What a part of DB time is called: wait classes as the database calls them, samples as what they are."""
    return name if kind is LineKind.WAIT else messages.text(f"report.db.line.{kind}", name=name)


def signed_amount(value: float) -> str:
    """``+0.125``; without a sign where nothing is left of it."""
    shown = amount_text(abs(value))
    if not float(shown.replace(",", "")):
        return shown
    return f"{'+' if value > 0 else '-'}{shown}"


def amount_text(value: float) -> str:
    """With enough decimals for a fraction of a session."""
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"
