"""Encrypted projects: what opens one, making one, and making one readable again.

if encrypting.asked_for(path): encrypting.unlock(path, passphrase=words)
encrypting.encrypt(path, passphrase=words); encrypting.rekey(path, key_file=file); encrypting.decrypt(path)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.sealing import (
    Key,
    OpenedBy,
    drop,
    held,
    hold,
    key_of_file,
    key_of_passphrase,
    new_salt,
    require_strong,
)
from tunebench.domain.connection import SecretKind
from tunebench.store import held_files
from tunebench.store.opening import read_salt
from tunebench.store.project import Project
from tunebench.store.reencrypting import change_key
from tunebench.store.reencrypting import unlock as unlock_with
from tunebench.usecases.projects import existing

if TYPE_CHECKING:
    from tunebench.transport.ssh.secrets import SecretStore


def is_encrypted(project: Project) -> bool:
    return project.key is not None


def asked_for(path: Path) -> OpenedBy | None:
    """What must be given before the project can be opened; None where nothing must, or it cannot be opened anyway.

    A key that the key ring remembers is taken from there.
    """
    path = existing(path)
    if held_files.is_held(path):
        return None
    try:
        salt = read_salt(path)
    except (UserError, OSError):
        return None  # opening it reports why not
    if salt is None or held(salt) is not None:
        return None
    remembered = _secrets().get(salt.hex(), SecretKind.PROJECT)
    if remembered is not None:
        try:
            unlock_with(path, Key(salt, bytes.fromhex(remembered)))
            return None
        except (UserError, ValueError):
            _secrets().forget(salt.hex(), SecretKind.PROJECT)
    return Key(salt, b"").opened_by


def unlock(path: Path, *, passphrase: str = "", key_file: Path | None = None, remember: bool = False) -> bool:
    """Holds the key of the project until this process ends; tells whether the key ring remembers it too.

    Raises:
        UserError: project_key_wrong; project_needs_passphrase or project_needs_key_file where the other was given;
            project_key_file_unfit.
    """
    path = existing(path)
    salt = read_salt(path)
    if salt is None:
        return False
    wanted = Key(salt, b"").opened_by
    if wanted is OpenedBy.KEY_FILE and key_file is None:
        raise UserError("project_needs_key_file", path=str(path))
    if wanted is OpenedBy.PASSPHRASE and (key_file is not None or not passphrase):
        raise UserError("project_needs_passphrase", path=str(path))
    key = key_of_file(key_file, salt) if key_file is not None else key_of_passphrase(passphrase, salt)
    unlock_with(path, key)
    return remember and _remembered(key)


def encrypt(path: Path, *, passphrase: str = "", key_file: Path | None = None, remember: bool = False) -> bool:
    """Makes a readable project unreadable without passphrase or key file, its kept copies with it.

    Returns:
        Whether the key ring remembers the key.

    Raises:
        UserError: project_encrypted_already; key_passphrase_short; project_key_file_unfit; as `change_key`.
    """
    path = existing(path)
    if read_salt(path) is not None:
        raise UserError("project_encrypted_already", path=str(path))
    return _changed(path, None, _new_key(passphrase, key_file), remember)


def rekey(path: Path, *, passphrase: str = "", key_file: Path | None = None, remember: bool = False) -> bool:
    """Another passphrase or key file; the project must have been unlocked.

    Raises:
        UserError: project_not_encrypted; as `encrypt`.
    """
    path = existing(path)
    return _changed(path, _present_key(path), _new_key(passphrase, key_file), remember)


def decrypt(path: Path) -> None:
    """A project that anybody who has the file can read; it must have been unlocked.

    Raises:
        UserError: project_not_encrypted; as `change_key`.
    """
    path = existing(path)
    _changed(path, _present_key(path), None, remember=False)


def _present_key(path: Path) -> Key:
    salt = read_salt(path)
    if salt is None:
        raise UserError("project_not_encrypted", path=str(path))
    key = held(salt)
    if key is None:
        raise UserError("project_needs_passphrase", path=str(path))
    return key


def _new_key(passphrase: str, key_file: Path | None) -> Key:
    if key_file is not None:
        return key_of_file(key_file, new_salt(OpenedBy.KEY_FILE))
    require_strong(passphrase)
    return key_of_passphrase(passphrase, new_salt(OpenedBy.PASSPHRASE))


def _changed(path: Path, old: Key | None, new: Key | None, remember: bool) -> bool:
    change_key(path, old, new)
    if new is not None:
        hold(new)
    if old is not None:
        drop(old.salt)
        _secrets().forget(old.salt.hex(), SecretKind.PROJECT)
    return remember and new is not None and _remembered(new)


def _remembered(key: Key) -> bool:
    """The derived key, which opens this project alone: a passphrase may be used elsewhere too."""
    return _secrets().put(key.salt.hex(), SecretKind.PROJECT, key.secret.hex())


def _secrets() -> SecretStore:
    from tunebench.transport.ssh.secrets import SecretStore  # of a readable project nobody asks the key ring

    return SecretStore()
