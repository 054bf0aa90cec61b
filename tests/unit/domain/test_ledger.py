"""What a ledger says of the lines that were left out."""

from tunebench.domain.ledger import Ledger, LineCounts, SkippedLines, not_understood


def test_a_prompt_is_left_out_and_understood_and_a_row_that_cannot_be_read_is_not():
    skipped = tuple(
        SkippedLines(reason, count, 1, "")
        for reason, count in (("wrapper", 2), ("average", 3), ("unreadable_numbers", 5), ("truncated", 7))
    )
    ledger = Ledger(lines=LineCounts(20, data=3, skipped=17), skipped=skipped)
    assert not_understood(ledger) == 12
