"""Finds the answers to ssh's questions: what is remembered first, then a person; each question once."""

from __future__ import annotations

from dataclasses import field

from tunebench.core.records import record
from tunebench.domain.connection import Hop, Prompt, PromptsQuestion, SecretKind, SecretQuestion
from tunebench.transport.ssh.askpass import AskedFor
from tunebench.transport.ssh.persons import Persons
from tunebench.transport.ssh.secrets import SecretStore


@record
class _Given:
    subject: str
    kind: SecretKind
    secret: str = field(repr=False)
    remembered: bool


class Answers:
    """The answers of one log-in to one hop; keeps each until it is known whether it was right."""

    def __init__(self, host: str, hop: Hop, persons: Persons, secrets: SecretStore) -> None:
        self._host, self._hop, self._persons, self._secrets = host, hop, persons, secrets
        self._given: list[_Given] = []
        self.asked_for_code = False
        self.repeated = False

    @property
    def passphrase_of(self) -> str:
        """Path of the key a passphrase was given for; empty where none was."""
        return next((given.subject for given in self._given if given.kind is SecretKind.PASSPHRASE), "")

    def find(self, asked: AskedFor) -> str | None:
        if asked.kind is None:
            return self._code(asked)
        subject = asked.key or self._hop.account
        if any(given.subject == subject and given.kind is asked.kind for given in self._given):
            self.repeated = True  # the first was wrong, and a second attempt may lock the account
            return None
        remembered = self._secrets.get(subject, asked.kind)
        secret = remembered
        if secret is None:
            secret = self._persons.secret(SecretQuestion(self._host, asked.kind, subject))
        if secret is not None:
            self._given.append(_Given(subject, asked.kind, secret, remembered is not None))
        return secret

    def were_right(self) -> None:
        for given in self._given:
            if not given.remembered:
                self._secrets.put(given.subject, given.kind, given.secret)

    def were_wrong(self) -> None:
        for given in self._given:
            if given.remembered:
                self._secrets.forget(given.subject, given.kind)

    def _code(self, asked: AskedFor) -> str | None:
        """ssh shows one prompt at a time and does not say whether it may be echoed."""
        self.asked_for_code = True
        prompts = (Prompt(asked.text, echo=False),)
        answers = self._persons.answers(PromptsQuestion(self._host, self._hop.account, "", "", prompts))
        return answers[0] if answers else None
