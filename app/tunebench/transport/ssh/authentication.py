"""Logging in: the named keys, then keyboard-interactive, then the password; one attempt each, none of them repeated.

A server that wants several begins anew after each that it took: what it would not look at before may be wanted now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from paramiko import PKey
from paramiko.ssh_exception import SSHException

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.connection import Hop, Prompt, PromptsQuestion, SecretKind, SecretQuestion
from tunebench.transport.ssh.authentication_exchange import Answer, AuthenticationExchange, Patience
from tunebench.transport.ssh.key_files import (
    AgentKeys,
    CertifiedKey,
    NamedKey,
    WrongPassphrase,
    load_key,
    named_key,
    unreadable,
)
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.paramiko_transport import WatchedTransport
from tunebench.transport.ssh.persons import Persons
from tunebench.transport.ssh.secrets import SecretStore

# A lone hidden prompt of these words is the account's password and may be stored; a one-time code never looks so.
_PASSWORD_PROMPT = lazy_pattern(
    r"\s*(\(?\S+@\S+\)? )?(\S+'s )?(password|\uc554\ud638|\ube44\ubc00\ubc88\ud638)( for \S+)?\s*:?\s*", re.IGNORECASE
)
_PASSWORDS = frozenset(("password", "keyboard-interactive"))
_OURS = _PASSWORDS | {"publickey"}
_MOST_METHODS = 8  # one after the other; no server wants so many, but one may go on for ever
_NO_MORE_ATTEMPTS = (2, 14)  # protocol error, as OpenSSH's "Too many authentication failures" is sent; none left


@record(frozen=False)
class Credentials:
    """What opened a host, kept while its link lives, so that a further connection asks nobody.

    Attributes:
        opened: private keys by path, those that had to be decrypted.
        accepted: (path, certificate or empty) of the keys the server took.
        method: all methods that were needed, joined by "+".
        alone: whether a new connection needs no person; False after a one-time code.
    """

    opened: dict[str, PKey] = field(default_factory=dict, repr=False)
    accepted: list[tuple[str, str]] = field(default_factory=list)
    password: str | None = field(default=None, repr=False)
    method: str = ""
    alone: bool = True


class Authentication:
    """One host's way in.

    Args:
        name: the profile's name, for questions.
        identities: paths of the private keys that may be tried; `certificate` goes with the first.
        before: what opened the host last time; nothing else is tried then.
    """

    def __init__(
        self,
        name: str,
        hop: Hop,
        identities: Sequence[str],
        certificate: str,
        persons: Persons,
        store: SecretStore,
        before: Credentials | None = None,
    ) -> None:
        self._name, self._hop, self._persons, self._store, self._before = name, hop, persons, store, before
        self._identities, self._certificate = identities, certificate
        self._credentials = Credentials(opened=before.opened if before else {})
        self._agent = AgentKeys()
        self._problem: LinkError | None = None
        self._tried: list[str] = []
        self._shown: list[tuple[str, str]] = []  # keys
        self._over: set[str] = set()  # methods that are not to be repeated
        self._cancelled = False

    def run(self, transport: WatchedTransport, allowance_s: float) -> Credentials:
        """Raises:
        LinkError: ``auth_failed``, ``auth_other_backend``, ``auth_cancelled``, ``auth_timeout``,
            ``passphrase_wrong``, ``key_unreadable``, ``lost``.
        """
        try:
            return self._authenticate(transport, allowance_s)
        except TimeoutError:
            raise LinkError("auth_timeout", user=self._hop.user, seconds=f"{allowance_s:g}") from None
        except (SSHException, EOFError, OSError) as failure:
            raise self._broken(transport, failure) from None
        finally:
            self._agent.close()

    def _authenticate(self, transport: WatchedTransport, allowance_s: float) -> Credentials:
        exchange = transport.request_authentication(allowance_s)
        exchange.patience = Patience(allowance_s, self._persons.spent_s)
        answer = exchange.send_auth_request(self._hop.user, "none")  # tells which methods the server takes
        for _ in range(_MOST_METHODS):
            if answer is Answer.ACCEPTED:
                break
            answer = self._next_method(exchange)
        if answer is not Answer.ACCEPTED:
            raise self._refused(exchange)
        self._credentials.method = self._credentials.method or "none"
        return self._credentials

    def _next_method(self, exchange: AuthenticationExchange) -> Answer:
        """Tries the methods until the server takes one.

        Raises:
            LinkError: it took none.
        """
        for method, ask_server in self._attempts(exchange):
            if method not in exchange.allowed or method in self._over:
                continue
            self._tried.append(method)
            answer = ask_server()
            if answer is not Answer.REFUSED:
                done = self._credentials.method
                self._credentials.method = f"{done}+{method}" if done else method
                return answer
        raise self._refused(exchange)

    def _attempts(self, exchange: AuthenticationExchange) -> Iterator[tuple[str, Callable[[], Answer]]]:
        """The ways to log in, lazily: each is prepared, and a person asked, when those before did not let us in."""
        for form, key in self._keys(exchange):
            yield "publickey", partial(self._with_key, exchange, form, key)
        stored = self._known_password() if _PASSWORDS.intersection(exchange.allowed) else None
        if stored is not None:
            yield "password", partial(self._with_password, exchange, stored)
        yield "keyboard-interactive", partial(self._with_prompts, exchange)
        if stored is None:
            yield "password", partial(self._with_password, exchange, None)

    # -- keys
    def _keys(self, exchange: AuthenticationExchange) -> Iterator[tuple[tuple[str, str], Any]]:
        for path, certificate in self._named():
            if "publickey" not in exchange.allowed:
                return  # no passphrase is asked for a key that the server would not look at
            try:
                forms = self._forms(path, named_key(path, certificate))
                yield from ((form, key) for form, key in forms if form not in self._shown)
            except LinkError as problem:
                if problem.final:
                    raise
                self._problem = self._problem or problem

    def _named(self) -> list[tuple[str, str]]:
        if self._before is not None:
            return self._before.accepted
        return [(path, "" if number else self._certificate) for number, path in enumerate(self._identities)]

    def _forms(self, path: str, key: NamedKey) -> Iterator[tuple[tuple[str, str], Any]]:
        """The key with its certificate first, as ssh does: a server that wants one has no use for the bare key."""
        private = self._private_half(key)
        if key.certificate:
            yield (path, key.certificate), CertifiedKey(private, key.certificate)
        yield (path, ""), private

    def _private_half(self, key: NamedKey) -> PKey:
        if not key.encrypted:
            return load_key(key, None)
        held = self._agent.find(key.fingerprint) if key.fingerprint else None
        if held is not None:
            return held
        if key.public_only:
            raise unreadable(key.path, "not in the agent")
        if key.path not in self._credentials.opened:
            self._credentials.opened[key.path] = self._open(key)
        return self._credentials.opened[key.path]

    def _open(self, key: NamedKey) -> PKey:
        """The key, opened with the stored passphrase, else with one that is asked for, twice at most."""
        stored = self._store.get(key.path, SecretKind.PASSPHRASE)
        for attempt in range(0 if stored else 1, 3):
            passphrase = (
                stored if attempt == 0 and stored else self._asked(SecretKind.PASSPHRASE, key.path, again=attempt > 1)
            )
            try:
                opened = load_key(key, passphrase)
            except WrongPassphrase:
                if attempt == 0:
                    self._store.forget(key.path, SecretKind.PASSPHRASE)
                continue
            if attempt:
                self._store.put(key.path, SecretKind.PASSPHRASE, passphrase)
            return opened
        raise LinkError("passphrase_wrong", final=True, identity=key.path)

    def _with_key(self, exchange: AuthenticationExchange, form: tuple[str, str], key: Any) -> Answer:
        self._shown.append(form)
        answer: Answer = exchange.auth_publickey(self._hop.user, key)
        if answer is not Answer.REFUSED:
            self._credentials.accepted.append(form)
        return answer

    # -- passwords
    def _known_password(self) -> str | None:
        if self._before is not None:
            return self._before.password
        return self._store.get(self._hop.account, SecretKind.PASSWORD)

    def _with_password(self, exchange: AuthenticationExchange, stored: str | None) -> Answer:
        self._over.add("password")
        password = stored if stored is not None else self._asked(SecretKind.PASSWORD, self._hop.account)
        answer: Answer = exchange.auth_password(self._hop.user, password)
        self._settle_password(password, answer, asked=stored is None)
        return answer

    def _settle_password(self, password: str, answer: Answer, *, asked: bool) -> None:
        if answer is Answer.REFUSED:
            self._store.forget(self._hop.account, SecretKind.PASSWORD)
            return
        self._credentials.password = password
        if asked:
            self._store.put(self._hop.account, SecretKind.PASSWORD, password)

    def _with_prompts(self, exchange: AuthenticationExchange) -> Answer:
        """All prompts of a round in one question; where the only one is for the password, that is what is asked."""
        password: list[tuple[str, bool]] = []

        def handler(title: str, instructions: str, prompts: Sequence[tuple[str, bool]]) -> Sequence[str]:
            if not prompts:
                return []
            if len(prompts) == 1 and not prompts[0][1] and _PASSWORD_PROMPT.fullmatch(prompts[0][0]):
                stored = None if "password" in self._tried or password else self._known_password()
                given = stored if stored is not None else self._asked(SecretKind.PASSWORD, self._hop.account)
                password.append((given, stored is None))
                return [given]
            return self._answers(title, instructions, prompts)

        answer: Answer = exchange.auth_interactive(self._hop.user, handler)
        if answer is Answer.REFUSED:
            self._over.add("keyboard-interactive")
        if password:
            self._settle_password(password[0][0], answer, asked=password[0][1])
        return answer

    def _answers(self, title: str, instructions: str, prompts: Sequence[tuple[str, bool]]) -> Sequence[str]:
        form = tuple(Prompt(text, bool(echo)) for text, echo in prompts)
        given = self._persons.answers(PromptsQuestion(self._name, self._hop.account, title, instructions, form))
        if given is None or len(given) != len(prompts):
            raise self._cancel()
        self._credentials.alone = False
        return given

    def _asked(self, kind: SecretKind, subject: str, *, again: bool = False) -> str:
        given = self._persons.secret(SecretQuestion(self._name, kind, subject, again))
        if given is None:
            raise self._cancel()
        return given

    # -- failures
    def _cancel(self) -> LinkError:
        """The error of a cancelled log-in; it ends the transport's own thread too, so the cause is remembered here."""
        self._cancelled = True
        return LinkError("auth_cancelled", final=True, user=self._hop.user)

    def _refused(self, exchange: AuthenticationExchange) -> LinkError:
        if self._problem is not None and "publickey" not in self._tried:
            return LinkError(self._problem.key, final=True, **self._problem.facts)
        methods = ", ".join(exchange.allowed)
        if exchange.allowed and not _OURS.intersection(exchange.allowed):
            return LinkError("auth_other_backend", final=True, user=self._hop.user, methods=methods)
        return self._failed(methods)

    def _failed(self, methods: str, detail: str = "") -> LinkError:
        """`methods`: what the server takes."""
        tried = ", ".join(dict.fromkeys(self._tried))
        return LinkError("auth_failed", final=True, user=self._hop.user, methods=methods, tried=tried, detail=detail)

    def _broken(self, transport: WatchedTransport, failure: BaseException) -> LinkError:
        if self._cancelled:
            return self._cancel()
        exchange = transport.auth_handler
        if exchange is not None and exchange.password_expired:
            return self._failed("-", "password expired")
        if transport.disconnect[0] in _NO_MORE_ATTEMPTS:
            return self._failed("-", "too many attempts")
        return LinkError("lost", detail=transport.disconnect[1] or type(failure).__name__)
