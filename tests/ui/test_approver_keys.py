"""Keys of approvers in the window: made, used for countermeasure and plan, wanted at closing, trusted after a look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.program import forget_approvers
from tests.ui.made_worksheet import action, go, worksheet
from tunebench.core.signing import SigningKey, as_signature, make_key, read_public, signer_of
from tunebench.domain.cycle.records import Contact, ExperimentSource
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Approvals
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.ui.reports.details_form import DetailsForm
from tunebench.ui.widgets.key_dialog import KeyDialog
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects, signatures
from tunebench.usecases.cycle import edits


@pytest.fixture(autouse=True)
def forgotten() -> None:
    forget_approvers()


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[TradeoffPage]:
    yield from worksheet(qtbot, workspace, tmp_path)


def test_a_key_is_made_and_signs_what_is_read(qtbot: Any, tmp_path: Path) -> None:
    dialog = KeyDialog("approved: this\n")
    qtbot.addWidget(dialog)
    assert not dialog.ok.isEnabled()
    dialog.passphrase.setText("short")
    dialog.make_key(tmp_path / "kim")
    assert "8" in dialog.told.text() and not (tmp_path / "kim").exists()
    dialog.passphrase.setText("correct horse")
    dialog.make_key(tmp_path / "kim")
    public = read_public(tmp_path / "kim.pub")
    assert public in dialog.told.text()
    dialog.passphrase.setText("wrong")
    dialog.sign()
    assert dialog.signature == "" and dialog.told.property("tone") == "critical"
    dialog.passphrase.setText("correct horse")
    dialog.sign()
    assert signer_of(dialog.signature, "approved: this\n") == public
    assert signer_of(dialog.signature, "approved: that\n") == ""
    again = KeyDialog("approved: this\n")
    qtbot.addWidget(again)
    again.pasted.setText(f"-----BEGIN SSH SIGNATURE----- {dialog.signature} -----END SSH SIGNATURE-----")
    again.sign()
    assert again.signature == as_signature(dialog.signature)


def test_policy_key_and_a_signed_approval(page: TradeoffPage, tmp_path: Path, qtbot: Any) -> None:
    project = page.workspace.opened
    line = make_key(tmp_path / "park", "correct horse")
    key = SigningKey.read(tmp_path / "park", "correct horse")
    page.controller.edit(edits.add(page.controller.book, Contact(0, "Park", approver_key=f"{line} park@bank")))
    (contact,) = page.controller.book.all(Contact)
    assert contact.approver_key == line
    form = DetailsForm(page.workspace)
    qtbot.addWidget(form)
    form.show_engagement(projects.read_engagement(project), writable=True)
    form.approvals.setCurrentIndex(list(Approvals).index(Approvals.SIGNED))
    form.save()
    assert projects.read_engagement(project).approvals is Approvals.SIGNED
    book = page.controller.book
    page.controller.edit(
        edits.change(book, replace(action(page, 1), **{n: getattr(_complete(book), n) for n in _PARTS}))
    )
    go(page, 1, "title")
    decision = page.detail.decision
    decision.edits["name"].setText("Park")
    heard: list[str] = []
    page.workspace.said.connect(lambda tone, _sentence: heard.append(tone))
    decision.record_decision()
    assert heard == ["error"] and not action(page, 1).consents
    decision.ask_signature = lambda signed: None
    decision.sign()
    assert not action(page, 1).consents
    decision.ask_signature = lambda signed: key.sign(signed)
    decision.sign()
    (consent,) = action(page, 1).consents
    assert consent.name == "Park" and as_signature(consent.signature)
    found = signatures.verified(project)
    assert found.facts["count"] == 1  # the first countermeasure was approved before keys were asked for


_PARTS = ("hypothesis", "impacts", "rollback", "verifications", "cause_ids")


def _complete(book: Any) -> Action:
    done = next(each for each in book.all(Action) if each.title == "Larger read-ahead")
    assert isinstance(done, Action)
    return done


def test_a_source_of_trials_is_told_in_the_window(page: TradeoffPage) -> None:
    from tunebench.ui.cycle.record_sources import kind_of_source, source_words

    source = ExperimentSource(3, "real_s")
    assert kind_of_source(source) == "experiment"
    assert "3" in source_words(source) and "real_s" in source_words(source)
