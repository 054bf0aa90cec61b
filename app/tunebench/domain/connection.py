"""How a host is reached: pure data, never a secret."""

from __future__ import annotations

from enum import StrEnum

from tunebench.core.records import record

DEFAULT_PORT = 22


class Backend(StrEnum):
    """Which SSH implementation talks to the host."""

    PARAMIKO = "paramiko"
    OPENSSH = "openssh"


class HostColour(StrEnum):
    """What the window paints a host with, so that production is not taken for a test machine."""

    NONE = ""
    PRODUCTION = "production"
    STAGING = "staging"
    TEST = "test"


@record
class HostProfile:
    """A host as the consultant wrote it down; what is empty comes from the user's ssh configuration or a default.

    Attributes:
        name: the host's name in the engagement (`Host.name`); unique.
        address: host name, address, or an alias of the user's ssh configuration.
        port: 0 means not said.
        identity: path of a private key; empty means not said.
        jump: hops before the host, in order, each ``[user@]host[:port]``, a profile's name or an alias.
        weak_algorithms: algorithms allowed for this host only although they are weak
            (``ssh-rsa``, ``aes128-cbc`` ...); every use is audited.
        use_config: whether the user's ssh configuration is asked.
        os: ``linux``, ``sunos``, ``aix``, ``hp-ux``, ``freebsd`` or empty where not yet known.
        user_known_hosts: a further known_hosts file that is read, never written; empty for none.
    """

    name: str
    address: str
    port: int = 0
    user: str = ""
    identity: str = ""
    jump: tuple[str, ...] = ()
    backend: Backend = Backend.PARAMIKO
    weak_algorithms: tuple[str, ...] = ()
    colour: HostColour = HostColour.NONE
    use_config: bool = True
    os: str = ""
    note: str = ""
    user_known_hosts: str = ""


class KeyVerdict(StrEnum):
    """What the known hosts say of a key that a server showed."""

    KNOWN = "known"
    KNOWN_BY_CA = "known_by_ca"
    UNKNOWN = "unknown"
    NEW_TYPE = "new_type"  # the host is known, but by keys of other types only
    CHANGED = "changed"
    REVOKED = "revoked"


@record
class HostKey:
    """A server's public key.

    Attributes:
        address, port: what the key is known under: as connected to, or the HostKeyAlias with port 22.
        key_type: ``ssh-ed25519`` ...
        blob: the key as base64, as in a known_hosts line.
        fingerprint: ``SHA256:...`` as ``ssh-keygen -lf`` prints it.
    """

    address: str
    port: int
    key_type: str
    blob: str
    fingerprint: str


@record
class AcceptedKey:
    """A host key that a person accepted for this engagement. `accepted_at` is ISO (UTC)."""

    key: HostKey
    accepted_by: str
    accepted_at: str


@record
class HostKeyQuestion:
    """Put to a person before any credential is sent.

    Attributes:
        host: profile name; `hop` is the jump host the question is about, empty for the host itself.
        addresses: the IP addresses the name stood for.
        known: keys of other types that are known for this host (for ``new_type``).
    """

    host: str
    hop: str
    key: HostKey
    verdict: KeyVerdict
    addresses: tuple[str, ...] = ()
    known: tuple[HostKey, ...] = ()


class SecretKind(StrEnum):
    PASSWORD = "password"  # noqa: S105 - the name of a kind, no secret
    PASSPHRASE = "passphrase"  # noqa: S105
    PROJECT = "project"


@record
class SecretQuestion:
    """A password or a key's passphrase; `again` after a wrong one, `subject` is user@host or the key's path."""

    host: str
    kind: SecretKind
    subject: str
    again: bool = False


@record
class Prompt:
    text: str
    echo: bool


@record
class PromptsQuestion:
    """A keyboard-interactive round: one form with all prompts of the server (password, OTP)."""

    host: str
    subject: str
    title: str
    instructions: str
    prompts: tuple[Prompt, ...]


@record
class Hop:
    """One step of a resolved way to a host; defaults are filled in.

    Attributes:
        host_key_name: what known_hosts is looked up with (HostKeyAlias or address).
        identities: private keys for this step alone, in order; empty for a jump host that names none of its own:
            then those of the host are tried there.
        weak_algorithms: the exceptions that hold for this step.
    """

    address: str
    port: int
    user: str
    host_key_name: str
    identities: tuple[str, ...] = ()
    weak_algorithms: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The address, with the port where it is not the usual one."""
        return self.address if self.port == DEFAULT_PORT else f"{self.address}:{self.port}"

    @property
    def account(self) -> str:
        """Whose password is asked for."""
        return f"{self.user}@{self.place}"


@record
class ResolvedHost:
    """A profile with everything filled in: what will really be connected to.

    Attributes:
        hops: the way, the host itself last.
        identities: private keys to be tried, in order, only those named (never "all agent keys").
        certificate: path of a ``-cert.pub`` beside the first key, or empty.
        known_hosts: files that are read, in order.
        source: per field, where it is from: ``profile``, ``ssh_config`` or ``default``.
        proxy_command: a ProxyCommand of the configuration; only the system's ssh can use it.
    """

    profile: HostProfile
    hops: tuple[Hop, ...]
    identities: tuple[str, ...]
    certificate: str
    known_hosts: tuple[str, ...]
    source: tuple[tuple[str, str], ...]
    proxy_command: str = ""

    @property
    def target(self) -> Hop:
        return self.hops[-1]
