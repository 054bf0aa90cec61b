"""The rig itself: a server that lets the system's ssh in, can be frozen, killed and cut off, and leaves nothing."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable

import pytest

from tests.e2e.accounts_rig import Accounts
from tests.e2e.network_rig import Network
from tests.e2e.processes import read_process
from tests.e2e.sshd_rig import Sshd
from tests.waiting import wait_until


def ssh(sshd: Sshd, *words: str, background: bool = False, user: str = "", **options):
    command = [
        "ssh",
        "-F",
        "none",
        "-p",
        str(sshd.port),
        "-i",
        str(sshd.user_key),
        "-o",
        "IdentitiesOnly=yes",
        "-o",
        "BatchMode=yes",
        "-o",
        f"UserKnownHostsFile={sshd.known_hosts}",
        "-o",
        "GlobalKnownHostsFile=none",
        "-o",
        "ConnectTimeout=3",
        f"{user or sshd.user}@{sshd.address}",
        *words,
    ]
    if background:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, **options)


def end(client: subprocess.Popen[bytes]) -> None:
    client.kill()
    client.communicate(timeout=10)


def test_the_systems_ssh_gets_in_and_finds_the_fake_tool(sshd: Sshd) -> None:
    sshd.tool("iostat", "echo faked $1")
    told = ssh(sshd, "iostat -xn; echo $TUNEBENCH_RIG")
    assert (told.returncode, told.stdout) == (0, f"faked -xn\n{sshd.folder.name}\n"), told.stderr


def test_the_sessions_home_and_variables_can_be_set(make_sshd: Callable[..., Sshd]) -> None:
    sshd = make_sshd().start(environment={"LANG": "ko_KR.EUC-KR", "NOTE": "two words"})
    assert ssh(sshd, 'echo "$HOME|$LANG|$NOTE"').stdout == f"{sshd.home}|ko_KR.EUC-KR|two words\n"


def test_nothing_is_left_of_a_session_whose_command_went_to_the_background(make_sshd: Callable[..., Sshd]) -> None:
    sshd = make_sshd().start()
    assert ssh(sshd, "nohup sleep 300 >/dev/null 2>&1 </dev/null & echo $!").returncode == 0
    assert wait_until(lambda: sshd.running("sleep"))
    (left,) = sshd.running("sleep")
    folder = sshd.folder
    sshd.remove()
    assert read_process(left) is None and not folder.exists()


def test_sessions_are_killed_while_the_server_stays(sshd: Sshd) -> None:
    client = ssh(sshd, "sleep 300", background=True)
    assert wait_until(lambda: sshd.running("sleep"))
    assert sshd.session_pids() and sshd.server_pids()[0] not in sshd.session_pids()
    sshd.kill_sessions()
    assert client.wait(30) == 255
    end(client)
    assert ssh(sshd, "echo again").stdout == "again\n"


def test_a_frozen_server_accepts_and_is_silent_until_thawed(sshd: Sshd) -> None:
    sshd.freeze()
    with socket.create_connection((sshd.address, sshd.port), timeout=3) as client:
        client.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.recv(10)
        sshd.thaw()
        client.settimeout(5)
        assert client.recv(4) == b"SSH-"


def test_a_swapped_host_key_is_another_one_on_the_same_port(sshd: Sshd) -> None:
    port, before = sshd.port, sshd.fingerprint
    sshd.swap_host_key("ed25519")
    refused = ssh(sshd, "true")
    assert (sshd.port, refused.returncode) == (port, 255) and sshd.fingerprint != before
    assert "REMOTE HOST IDENTIFICATION HAS CHANGED" in refused.stderr
    assert sshd.fingerprint in refused.stderr


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_a_temporary_account_is_there_and_gone(sshd: Sshd, accounts: Accounts, shell: str) -> None:
    account = accounts.add(shell)
    assert ssh(sshd, "id -un; echo $0; pwd", user=account.name).stdout.split() == [
        account.name,
        shell.rsplit("/", maxsplit=1)[-1],
        str(account.home),
    ]
    accounts.remove()
    assert subprocess.run(["id", account.name], capture_output=True, timeout=10).returncode != 0


def test_a_network_is_cut_and_mended(network: Network, make_sshd: Callable[..., Sshd]) -> None:
    sshd = make_sshd(network.address, network.prefix).start()
    assert ssh(sshd, "echo in").stdout == "in\n"
    network.drop_everything()
    assert ssh(sshd, "echo in").returncode == 255
    network.restore()
    assert ssh(sshd, "echo in").stdout == "in\n"
