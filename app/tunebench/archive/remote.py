"""Archives at an address. This is the only module that knows fsspec; what a scheme needs beside it is told by name.

Credentials, region and endpoint come from the environment or the files of the store's own tools, as for those.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any

from tunebench.archive.storage import Entry, refused_by
from tunebench.core.errors import UserError

if TYPE_CHECKING:
    import duckdb

_UNREACHABLE = ("EndpointConnectionError", "ConnectTimeoutError", "ClientConnectorError", "ConnectionClosedError",
                "ReadTimeoutError", "ProxyConnectionError", "SSLError", "gaierror")  # fmt: skip
_NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError", "TokenRetrievalError")
_AT_A_TIME = 8
_MOST_AT_ONCE = 1 << 30
_SMALL_BYTES = 4 << 20
_FULL = ("quota", "storagefull", "storage full", "insufficient storage", "no space")


class Remote:
    """Everything under one address.

    Raises:
        UserError: scheme_unknown; scheme_missing.
    """

    def __init__(self, scheme: str, rest: str) -> None:
        import fsspec
        from fsspec.registry import known_implementations

        try:
            fsspec.get_filesystem_class(scheme)
        except ImportError:
            package = str(known_implementations[scheme]["class"]).partition(".")[0]
            raise UserError("scheme_missing", scheme=scheme, package=package) from None
        except ValueError:
            raise UserError("scheme_unknown", scheme=scheme) from None
        self.scheme, self.root = scheme, rest.strip("/")
        with self._refusals():
            # nothing is remembered of what another machine may have changed meanwhile
            self._files: Any = fsspec.filesystem(scheme, use_listings_cache=False, skip_instance_cache=True)
        self._near_folder = ""
        self._near: dict[str, str] = {}

    @property
    def address(self) -> str:
        return f"{self.scheme}://{self.root}"

    def read(self, name: str) -> bytes:
        with self._refusals(passes=FileNotFoundError):
            return bytes(self._files.cat_file(self._path(name)))

    def read_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Several at a time, one request each."""

        def content(name: str) -> bytes | None:
            try:  # with an end nobody asks for the size first
                with self._refusals(passes=OSError):
                    return bytes(self._files.cat_file(self._path(name), start=0, end=_MOST_AT_ONCE))
            except FileNotFoundError:
                return None
            except OSError:  # of nothing there is no range
                return self.read(name)

        with ThreadPoolExecutor(_AT_A_TIME) as threads:
            contents = zip(names, threads.map(content, names), strict=True)
            return {name: content for name, content in contents if content is not None}

    def digest(self, name: str) -> str:
        with self._refusals(passes=FileNotFoundError), self._files.open(self._path(name), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def create(self, name: str, data: bytes) -> bool:
        try:
            with self._refusals(passes=FileExistsError):
                self._files.pipe_file(self._path(name), data, mode="create")
        except FileExistsError:
            return False
        return True

    def replace(self, name: str, data: bytes) -> None:
        with self._refusals():
            self._files.pipe_file(self._path(name), data)

    def take(self, draft: Path, name: str) -> None:
        self._near.pop(name, None)
        with self._refusals():
            self._files.put_file(str(draft), self._path(name))

    def remove(self, name: str) -> None:
        self._near.pop(name, None)
        with self._refusals():
            try:
                self._files.rm_file(self._path(name))
            except FileNotFoundError:
                return

    def entries(self, folder: str, *, deep: bool = False) -> Mapping[str, Entry]:
        with self._refusals():
            try:
                if deep:
                    listed = list(self._files.find(self._path(folder), detail=True).values())
                else:
                    listed = self._files.ls(self._path(folder), detail=True)
            except FileNotFoundError as error:
                if _is_bucket(error):
                    raise
                return {}
        start = len(self.root) + 1
        return {
            facts["name"].lstrip("/")[start:]: Entry(
                facts["size"] if facts["type"] == "file" else None, _modified_s(facts)
            )
            for facts in listed
            if len(facts["name"].lstrip("/")) > start
        }

    def location(self, name: str) -> str:
        return self._near.get(name) or f"{self.address}/{name}"

    def bring_near(self, sizes: Mapping[str, int]) -> None:
        """Fetches small files into a private folder that lives as long as this object: DuckDB asks a store ten times
        for each file that it opens."""
        wanted = [name for name, size in sizes.items() if size <= _SMALL_BYTES and name not in self._near]
        contents = self.read_all(wanted)
        if not self._near_folder:
            self._near_folder = mkdtemp(prefix="tunebench-")
            weakref.finalize(self, shutil.rmtree, self._near_folder, ignore_errors=True)
        for name, content in contents.items():
            path = Path(self._near_folder) / name.replace("/", "-")
            path.write_bytes(content)
            self._near[name] = str(path)

    def attach(self, base: duckdb.DuckDBPyConnection) -> Sequence[str]:
        base.register_filesystem(self._files)
        near = [self._near_folder + os.sep] if self._near_folder else []
        return [f"{self.address}/", *near]

    @contextmanager
    def drafts(self) -> Iterator[Path]:
        with TemporaryDirectory(prefix="tunebench-") as folder:
            yield Path(folder)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    @contextmanager
    def _refusals(self, passes: type[OSError] | tuple[()] = ()) -> Iterator[None]:
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            if isinstance(error, passes) and not _is_bucket(error):
                raise
            raise _refusal_of(error, self.address) from error


def _is_bucket(error: Exception) -> bool:
    return isinstance(error, FileNotFoundError) and "bucket" in str(error).lower()


def _refusal_of(error: Exception, address: str) -> UserError:
    """The sentence for what a store's own library raised; the kinds are known by name, whatever library it is."""
    kinds, words = {kind.__name__ for kind in type(error).__mro__}, str(error).lower()
    if kinds.intersection(_NO_CREDENTIALS):
        return UserError("archive_no_credentials", address=address)
    if kinds.intersection(_UNREACHABLE) or isinstance(error, ConnectionError | TimeoutError):
        return UserError("archive_unreachable", address=address)
    if _is_bucket(error):
        return UserError("archive_bucket_missing", address=address)
    if any(word in words for word in _FULL):
        return UserError("archive_full", address=address)
    if isinstance(error, PermissionError):
        return UserError("archive_denied", address=address, reason=" ".join(str(error).split()))
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return refused_by(error, address)
    return UserError("archive_unwritable", address=address, reason=" ".join(str(error).split()) or type(error).__name__)


def _modified_s(facts: Mapping[str, Any]) -> float:
    """Of several stores' spellings; the far future where a store tells none, so that nothing is swept by it."""
    for name in ("LastModified", "last_modified", "mtime", "modified", "updated", "created"):
        value = facts.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return float(value)
    return float("inf")
