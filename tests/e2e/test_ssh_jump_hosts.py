"""Through jump hosts: every hop a connection with a key of its own, and whoever is at fault is named."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.e2e.ssh_people import Desk, Person, Sink
from tests.e2e.sshd_rig import Sshd, free_port
from tests.waiting import PATIENCE_S, wait_until
from tunebench.domain.connection import HostProfile
from tunebench.transport.ssh.link import Deadlines, LinkError, LinkSettings, LossCause

QUICK = LinkSettings(deadlines=Deadlines(probe_interval_s=0.4, probe_allowance_s=1.2))


class Way:
    """Target behind two jump hosts, three servers; their keys are known."""

    def __init__(self, make_sshd: Callable[..., Sshd], desk: Desk) -> None:
        self.first, self.second, self.target = (make_sshd().start() for _ in range(3))
        self._desk = desk
        known = "".join(each.known_hosts.read_text() for each in (self.first, self.second, self.target))
        self.target.known_hosts.write_text(known)
        self.profiles = [self.first.profile(name="outer"), self.second.profile(name="inner")]

    @property
    def first_label(self) -> str:
        return f"127.0.0.1:{self.first.port}"

    def profile(self, **changes) -> HostProfile:
        return self.target.profile(**{"jump": ("outer", "inner"), **changes})

    def open(self, person: Person | None = None, settings: LinkSettings | None = None, **changes):
        return self._desk.open(self.profile(**changes), person, settings, profiles=self.profiles)

    def refused(self, person: Person | None = None, **changes) -> LinkError:
        with pytest.raises(LinkError) as failure:
            self.open(person, LinkSettings(deadlines=Deadlines(connect_s=1.0, banner_s=1.0)), **changes)
        return failure.value


@pytest.fixture
def way(make_sshd: Callable[..., Sshd], desk: Desk) -> Way:
    return Way(make_sshd, desk)


def test_the_target_is_reached_through_both(way: Way) -> None:
    link = way.open()
    assert link.run("echo $SSH_CONNECTION", 5).stdout.split()[3].decode() == str(way.target.port)
    assert link.facts.hops == (way.first_label, f"127.0.0.1:{way.second.port}")
    assert link.facts.fingerprint == way.target.fingerprint and link.facts.addresses == ()
    for server in (way.first, way.second, way.target):
        assert server.log.count("Accepted publickey") == 1
    link.pull("/etc/hostname", 0, sink := Sink())
    assert sink.done.wait(PATIENCE_S) and sink.end == (0, "", None)
    assert (way.first.log.count("Accepted publickey"), way.target.log.count("Accepted publickey")) == (1, 2)


def test_every_hop_shows_its_key_before_it_learns_anything(way: Way) -> None:
    for server in (way.first, way.second, way.target):
        server.known_hosts.write_text("")
    person = Person(accepts=True)
    way.open(person)
    assert [question.hop for question in person.host_keys] == [way.first_label, f"127.0.0.1:{way.second.port}", ""]
    assert [question.key.fingerprint for question in person.host_keys] == [
        way.first.fingerprint,
        way.second.fingerprint,
        way.target.fingerprint,
    ]


def test_a_changed_key_of_a_hop_is_refused_and_the_hop_named(way: Way) -> None:
    way.second.swap_host_key("ed25519")
    failure = way.refused(Person(accepts=True))
    assert (failure.key, failure.final) == ("host_key_changed", True)
    assert failure.facts["host"] == failure.facts["hop"] == f"127.0.0.1:{way.second.port}"
    assert "userauth-request" not in way.second.log and not way.target.log.count("Connection from")


def test_a_hop_that_lets_nobody_in_is_named(way: Way) -> None:
    way.first.authorize(way.first.other_key)
    failure = way.refused()
    assert (failure.key, failure.final, failure.facts["hop"]) == ("auth_failed", True, way.first_label)


def test_a_hop_that_is_down_is_named(way: Way) -> None:
    way.first.stop()
    failure = way.refused()
    assert (failure.key, failure.final) == ("hop_failed", False)
    assert (failure.facts["host"], failure.facts["hop"]) == ("server", way.first_label)


def test_a_hop_that_forwards_nothing_is_named(way: Way) -> None:
    way.second.restart("AllowTcpForwarding no")
    failure = way.refused()
    assert (failure.key, failure.final, failure.facts["hop"]) == ("hop_failed", True, f"127.0.0.1:{way.second.port}")


def test_a_target_that_is_down_behind_healthy_hops_is_the_targets_fault(way: Way) -> None:
    failure = way.refused(port=free_port())
    assert (failure.key, failure.facts["host"]) == ("unreachable", "server")
    assert wait_until(lambda: not way.first.session_pids() and not way.second.session_pids())


def test_a_hop_that_dies_is_named_as_the_cause(way: Way, desk: Desk) -> None:
    link, sink = way.open(), Sink()
    link.stream("exec cat", sink)
    killed_at = time.monotonic()
    way.first.kill_sessions()
    assert desk.watcher.lost.wait(PATIENCE_S) and desk.watcher.lost_at - killed_at < 5.0
    assert desk.watcher.losses == [(LossCause.CLOSED_BY_SERVER, way.first_label)]
    assert sink.done.wait(PATIENCE_S) and sink.end == (None, "", LossCause.CLOSED_BY_SERVER)


def test_a_target_that_freezes_is_noticed_end_to_end_and_no_hop_blamed(way: Way, desk: Desk) -> None:
    way.open(settings=QUICK)
    frozen_at = time.monotonic()
    way.target.freeze()
    assert desk.watcher.lost.wait(PATIENCE_S) and desk.watcher.lost_at - frozen_at < 6.0
    assert desk.watcher.losses == [(LossCause.NETWORK_LOST, "")]


def test_a_hop_that_freezes_is_named_as_the_cause(way: Way, desk: Desk) -> None:
    way.open(settings=QUICK)
    way.first.freeze()
    assert desk.watcher.lost.wait(PATIENCE_S)
    assert desk.watcher.losses == [(LossCause.NETWORK_LOST, way.first_label)]


def test_closing_closes_every_hop(way: Way) -> None:
    link = way.open()
    link.close()
    assert wait_until(lambda: not any(each.session_pids() for each in (way.first, way.second, way.target)))
