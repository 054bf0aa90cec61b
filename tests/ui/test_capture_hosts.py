"""Hosts of the capture page: written down in a form, tested against a real server, trusted only by a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget

from tests.e2e.sshd_rig import Sshd, fingerprint_of, make_key
from tests.ui.plan_controller import Controller, facts, press, type_into
from tunebench.domain.connection import Backend, HostColour, HostProfile
from tunebench.ui.capturing.host_book import Reach
from tunebench.ui.capturing.question_controller import HostKeyDialog, KeyRefusedDialog
from tunebench.ui.look.theme import current_theme
from tunebench.usecases.capturing import connections, host_choices

pytest_plugins = ("tests.ui.plan_fixtures",)

WHOLE = HostProfile(
    "db02",
    "10.20.30.42",
    port=2222,
    user="tunebench",
    identity="~/.ssh/id_ed25519",
    jump=("bastion", "u@10.0.0.9:2200"),
    backend=Backend.OPENSSH,
    weak_algorithms=("ssh-rsa", "aes128-cbc"),
    colour=HostColour.PRODUCTION,
    use_config=False,
    os="sunos",
    note="second node",
    user_known_hosts="/etc/ssh/known",
)


# --- the form
def test_an_empty_engagement_invites_to_add_a_host(controller: Controller) -> None:
    assert "addresses" in facts(controller.tab.hosts)
    add = next(b for b in controller.tab.hosts.findChildren(QAbstractButton) if b.text() == "Add a server")
    press(add)
    assert controller.tab.parts.currentWidget() is controller.tab.host_page
    assert QApplication.focusWidget() is controller.tab.host_page.form.address


def test_a_typed_host_is_saved_chosen_and_listed(controller: Controller) -> None:
    press(controller.tab.hosts.add)
    form = controller.tab.host_page.form
    type_into(form.address, "db01.example")
    type_into(form.user, "oracle")
    form.port.setValue(2222)
    QTest.keyClick(form.user, Qt.Key.Key_Return)
    assert connections.list_profiles(controller.project) == (
        HostProfile("db01.example", "db01.example", 2222, "oracle"),
    )
    assert [host.name for host in controller.tab.book.chosen] == ["db01.example"]
    model = controller.tab.hosts.model
    words = str(model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole))
    assert "oracle@db01.example:2222" in words
    assert "not tested" in words
    assert controller.tab.parts.currentWidget() is not controller.tab.host_page


def test_every_field_of_a_profile_goes_through_the_form(controller: Controller) -> None:
    controller.save(WHOLE)
    controller.tab.edit_host("db02")
    assert controller.tab.host_page.form.entered() == WHOLE
    press(controller.tab.host_page.form.save)
    assert connections.list_profiles(controller.project) == (WHOLE,)


def test_what_cannot_be_is_refused_in_place(controller: Controller) -> None:
    controller.save(WHOLE)
    press(controller.tab.hosts.add)
    form = controller.tab.host_page.form
    for field, typed, begins in (
        ("address", "", "Enter an address"),
        ("address", "-oProxyCommand=sh", "-oProxyCommand=sh cannot be an address"),
        ("address", "two words", "two words cannot be a host's name"),
        ("name", "two words", "two words cannot be a host's name"),
        ("name", "db02", "A host db02 is there already"),
        ("user", "-l", "-l cannot be an account name"),
    ):
        form.show_profile(None)
        type_into(form.address, "10.0.0.1")
        edit = form.fields[field]
        assert isinstance(edit, QLineEdit)
        edit.clear()
        type_into(edit, typed)
        press(form.save)
        assert form.refusals[field].text().startswith(begins)
        assert edit.property("state") == "wrong"
        assert QApplication.focusWidget() is edit
        assert connections.list_profiles(controller.project) == (WHOLE,)
        QTest.keyClicks(edit, "x")
        assert form.refusals[field].isHidden()
        assert edit.property("state") == ""


def test_a_place_as_ssh_takes_it_is_taken_apart(controller: Controller) -> None:
    press(controller.tab.hosts.add)
    form = controller.tab.host_page.form
    for typed, address, user, port in (
        ("oracle@db01:2222", "db01", "oracle", 2222),
        ("db01:2222", "db01", "", 2222),
        ("u@[fd00::1]:22", "fd00::1", "u", 22),
        ("fd00::1", "fd00::1", "", 0),
        ("db01", "db01", "", 0),
    ):
        form.show_profile(None)
        type_into(form.address, typed)
        QTest.keyClick(form.address, Qt.Key.Key_Tab)
        assert (form.address.text(), form.user.text(), form.port.value()) == (address, user, port)


def test_a_rename_keeps_the_choice_and_leaves_one_profile(controller: Controller) -> None:
    controller.save(HostProfile("db01", "db01.example"))
    QTest.keyClick(controller.tab.hosts.view, Qt.Key.Key_Return)
    form = controller.tab.host_page.form
    type_into(form.name, "primary")
    press(form.save)
    assert [profile.name for profile in connections.list_profiles(controller.project)] == ["primary"]
    assert [host.name for host in controller.tab.book.chosen] == ["primary"]


def test_a_duplicate_is_a_new_host_reached_the_same_way(controller: Controller) -> None:
    controller.save(WHOLE)
    press(controller.tab.hosts.duplicate)
    form = controller.tab.host_page.form
    assert form.name.text() == ""
    type_into(form.name, "db03")
    type_into(form.address, "10.20.30.43")
    press(form.save)
    first, second = connections.list_profiles(controller.project)
    assert first == WHOLE
    assert (second.name, second.address) == ("db03", "10.20.30.43")
    assert (second.user, second.jump, second.weak_algorithms) == (WHOLE.user, WHOLE.jump, WHOLE.weak_algorithms)


def test_removal_is_asked_and_can_be_taken_back(controller: Controller) -> None:
    controller.save(WHOLE)
    hosts = controller.tab.hosts
    press(hosts.remove)
    assert QApplication.focusWidget() is hosts.keep
    QTest.keyClick(hosts.keep, Qt.Key.Key_Escape)
    assert not hosts.asks_removal
    assert connections.list_profiles(controller.project) == (WHOLE,)
    QTest.keyClick(hosts.view, Qt.Key.Key_Delete)
    press(hosts.confirm)
    assert connections.list_profiles(controller.project) == ()
    assert controller.tab.book.chosen == ()


def test_escape_leaves_the_form_without_saving(controller: Controller) -> None:
    press(controller.tab.hosts.add)
    type_into(controller.tab.host_page.form.address, "db01")
    QTest.keyClick(controller.tab.host_page.form.address, Qt.Key.Key_Escape)
    assert controller.tab.parts.currentWidget() is not controller.tab.host_page
    assert connections.list_profiles(controller.project) == ()


def test_jump_hosts_are_typed_moved_and_dropped(controller: Controller) -> None:
    press(controller.tab.hosts.add)
    jump = controller.tab.host_page.form.jump
    for hop in ("bastion", "relay@10.0.0.9:2200"):
        jump.add_hop()
        jump.list.currentItem().setText(hop)
    assert jump.hops() == ("bastion", "relay@10.0.0.9:2200")
    press(jump.up)
    assert jump.hops() == ("relay@10.0.0.9:2200", "bastion")
    press(jump.drop)
    assert jump.hops() == ("bastion",)


# --- what this computer knows
def test_names_of_the_ssh_configuration_are_offered(controller: Controller, home: Path) -> None:
    (home / ".ssh" / "config").write_text(
        "Include more\nHost db01 db02\n  HostName 10.0.0.1\nHost *.example !x bastion\n  User a\nHost *\n  Port 22\n"
    )
    (home / ".ssh" / "more").write_text("Host=solaris9\n  User root\n")
    assert host_choices.configured_hosts() == ("solaris9", "db01", "db02", "bastion")
    press(controller.tab.hosts.add)
    form = controller.tab.host_page.form
    offered = [action.text() for action in form.config_menu.actions()]
    assert offered == ["solaris9", "db01", "db02", "bastion"]
    form.config_menu.actions()[1].trigger()
    assert form.address.text() == "db01"
    press(form.save)
    assert connections.list_profiles(controller.project) == (HostProfile("db01", "db01"),)


def test_without_a_configuration_nothing_is_offered(controller: Controller) -> None:
    assert host_choices.configured_hosts() == ()
    press(controller.tab.hosts.add)
    assert controller.tab.host_page.form.from_config.isHidden()


def test_what_will_be_used_is_shown_with_its_source_before_anything_is_saved(controller: Controller) -> None:
    press(controller.tab.hosts.add)
    form = controller.tab.host_page.form
    form.use_config.setChecked(False)
    type_into(form.address, "db01.example")
    type_into(form.user, "oracle")
    QTest.keyClick(form.user, Qt.Key.Key_Tab)
    controller.settle()
    resolved = controller.tab.host_page.resolved.resolved
    assert resolved is not None
    assert (resolved.target.address, resolved.target.port, resolved.target.user) == ("db01.example", 22, "oracle")
    shown = facts(controller.tab.host_page.resolved)
    assert "oracle  (entered here)" in shown
    assert "22  (default)" in shown
    assert connections.list_profiles(controller.project) == ()


def test_a_key_file_is_described_without_being_opened(controller: Controller, tmp_path: Path) -> None:
    press(controller.tab.hosts.add)
    field = controller.tab.host_page.form.identity
    for name, passphrase, words in (("plain", "", "not encrypted"), ("closed", "secret words", "encrypted")):
        key = make_key(tmp_path / name, passphrase=passphrase)
        field.set_path(str(key))
        assert field.words() == f"ssh-ed25519 · {words} · {fingerprint_of(key)}"
    field.set_path(str(tmp_path))
    assert field.words() == "The file cannot be read."
    field.set_path(str(tmp_path / "none"))
    assert field.words() == "There is no such file."


# --- a real server
def test_an_unknown_key_is_shown_compared_accepted_and_then_the_host_is_reached(
    controller: Controller, sshd: Sshd
) -> None:
    controller.save(sshd.profile(name="db01"))
    press(controller.tab.hosts.test)
    dialog = controller.dialog(HostKeyDialog)
    assert dialog.fingerprint.text() == sshd.fingerprint
    assert "Accepted publickey" not in sshd.log
    shown = facts(dialog)
    assert "ssh-ed25519" in shown
    assert f"127.0.0.1:{sshd.port}" in shown
    press(dialog.trust)
    last = controller.tested("db01")
    assert last.reach is Reach.REACHED
    (accepted,) = connections.accepted_keys(controller.project)
    assert accepted.key.fingerprint == sshd.fingerprint
    assert connections.list_profiles(controller.project)[0].os == "linux"
    controller.tab.edit_host("db01")
    controller.settle()
    found = facts(controller.tab.host_page.resolved)
    for words in (sshd.fingerprint, "Linux", "OpenSSH", "publickey", "vmstat", "ms against this computer"):
        assert words in found, words


def test_a_declined_key_ends_the_test_before_any_login(controller: Controller, sshd: Sshd) -> None:
    controller.save(sshd.profile(name="db01"))
    controller.tab.test_host()
    QTest.keyClick(controller.dialog(HostKeyDialog), Qt.Key.Key_Escape)
    last = controller.tested("db01")
    assert last.reach is Reach.FAILED
    assert last.error is not None
    assert last.error.key == "ssh.host_key_unknown"
    assert "userauth-request" not in sshd.log
    assert connections.accepted_keys(controller.project) == ()


@pytest.fixture
def changed(controller: Controller, sshd: Sshd) -> tuple[str, str]:
    """A host whose key was accepted and is another now: (stored, shown) fingerprints."""
    controller.save(sshd.profile(name="db01"))
    controller.tab.test_host()
    press(controller.dialog(HostKeyDialog).trust)
    assert controller.tested("db01").reach is Reach.REACHED
    before = sshd.fingerprint
    sshd.swap_host_key()
    controller.tab.test_host()
    return before, sshd.fingerprint


def test_a_changed_key_is_refused_with_both_fingerprints_and_no_way_through(
    controller: Controller, sshd: Sshd, changed: tuple[str, str]
) -> None:
    dialog = controller.dialog(KeyRefusedDialog)
    shown = facts(dialog)
    assert all(fingerprint in shown for fingerprint in changed)
    assert [button.text() for button in dialog.findChildren(QAbstractButton)] == ["Close"]
    logins = sshd.log.count("Accepted publickey")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert controller.tested("db01").reach is Reach.FAILED
    assert sshd.log.count("Accepted publickey") == logins
    assert [accepted.key.fingerprint for accepted in connections.accepted_keys(controller.project)] == [changed[0]]


def test_a_confirmed_change_is_replaced_among_the_keys_and_asked_anew(
    controller: Controller, changed: tuple[str, str]
) -> None:
    controller.dialog(KeyRefusedDialog).decline()
    press(controller.tab.hosts.keys)
    table = controller.tab.keys
    assert table.model.rowCount() == 1
    assert table.model.index(0, 2).data() == changed[0]
    press(table.replace)
    dialog = controller.dialog(HostKeyDialog)
    assert dialog.fingerprint.text() == changed[1]
    press(dialog.trust)
    assert controller.tested("db01").reach is Reach.REACHED
    assert [accepted.key.fingerprint for accepted in connections.accepted_keys(controller.project)] == [changed[1]]


def test_a_forgotten_key_is_gone_from_the_list(controller: Controller, changed: tuple[str, str]) -> None:
    controller.dialog(KeyRefusedDialog).decline()
    press(controller.tab.hosts.keys)
    press(controller.tab.keys.forget)
    assert connections.accepted_keys(controller.project) == ()
    assert "No host key has been accepted yet" in facts(controller.tab.keys)
    QTest.keyClick(controller.tab.keys, Qt.Key.Key_Escape)
    assert controller.tab.parts.currentWidget() is not controller.tab.keys


def test_a_server_that_is_not_there_fails_with_one_sentence(
    controller: Controller, make_sshd: Callable[[], Sshd]
) -> None:
    server = make_sshd()
    controller.save(server.profile(name="db01"))
    controller.said.clear()
    controller.tab.test_host()
    last = controller.tested("db01")
    assert last.error is not None
    assert last.error.key == "ssh.refused"
    assert len(controller.said) == 1
    assert controller.said[0].startswith("db01: ")
    model = controller.tab.hosts.model
    assert "✕ failed" in str(model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole))


# --- everybody
def test_read_only_hosts_can_be_looked_at_only(read_only: Controller) -> None:
    hosts = read_only.tab.hosts
    hosts.show_host("db01")
    for button in (hosts.add, hosts.test, hosts.edit, hosts.duplicate, hosts.remove):
        assert not button.isEnabled()
    QTest.keyClick(hosts.view, Qt.Key.Key_Return)
    assert read_only.tab.parts.currentWidget() is not read_only.tab.host_page
    read_only.tab.show_keys()
    assert not read_only.tab.keys.forget.isEnabled()


def test_whatever_takes_the_focus_has_a_name(controller: Controller, look: Callable[..., None]) -> None:
    controller.save(WHOLE)
    for code in ("en", "ko"):
        look(code)
        controller.tab.retranslate()
        for show in (controller.tab.show_plan, lambda: controller.tab.edit_host("db02"), controller.tab.show_keys):
            show()
            controller.settle()
            assert [widget for widget in controller.tab.findChildren(QWidget) if _nameless(widget)] == []


def _nameless(widget: QWidget) -> bool:
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or not widget.isVisible():
        return False
    words = widget.text() if isinstance(widget, QAbstractButton) else ""
    return not (widget.accessibleName() or words or widget.objectName() == "qt_spinbox_lineedit")


def test_a_production_host_is_marked_in_words_and_colour(controller: Controller) -> None:
    controller.save(WHOLE)
    view = controller.tab.hosts.view
    words = str(
        controller.tab.hosts.model.data(controller.tab.hosts.model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    )
    assert "◆ production" in words
    picture = view.grab().toImage()
    wanted = current_theme().critical.rgb()
    assert any(picture.pixel(x, y) == wanted for x in range(picture.width()) for y in range(min(picture.height(), 46)))
