"""Files that came in one folder or one tar archive whose names count without their folder: the collection script's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.transport.containers.compressed import FORMS, Unpacked
from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.forms import form_of
from tunebench.transport.containers.limits import Budget, Limits
from tunebench.transport.containers.members import PIECE_BYTES, ByteSource, Damaged, Entry, Peekable
from tunebench.transport.containers.names import clean_name
from tunebench.transport.containers.tar import TarReader

MOST_FILES = 10_000
SMALL_FILE_BYTES = 32 << 20
_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")


def looks_like_tar(path: Path) -> bool:
    """Whether a file is a tar by its name; opening it shows whether it is one."""
    return path.is_file() and path.name.lower().endswith(_SUFFIXES)


@record
class FlatBundle:
    """A folder, or a tar archive whose files lie in one folder. Names are those inside that folder."""

    path: Path

    def small(self, name: str, beside: Callable[[str], bool] = lambda _: True) -> bytes | None:
        """A whole small file, None where there is none of that name.

        Args:
            beside: whether a file of this name may lie before it; the first that may not ends the search.

        Raises:
            UserError: the archive cannot be read, or the file is larger than it can be.
        """
        for member, size_bytes, pieces in self.files():
            if not beside(member) and member != name:
                return None
            if member == name:
                if size_bytes > SMALL_FILE_BYTES:
                    raise UserError("bundle_file_too_large", path=str(self.path), name=name)
                return b"".join(pieces)
        return None

    def files(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        """Name, size and bytes of each regular file, in the order in which they lie there; one pass.

        Links, devices, names that lead out of the folder, and names that came before are passed over.

        Raises:
            UserError: ``bundle_damaged`` (cut off or no archive), ``bundle_too_many``, ``bundle_bomb``.
        """
        with self._damage_named():
            yield from self._in_folder() if self.path.is_dir() else self._in_tar()

    @contextmanager
    def _damage_named(self) -> Iterator[None]:
        try:
            yield
        except Damaged as damage:
            raise damage.refusal("bundle_damaged", str(self.path)) from damage
        except OSError as error:
            raise damage_of(error).refusal("bundle_damaged", str(self.path)) from error

    def _pieces(self, source: ByteSource) -> Iterator[bytes]:
        """Read while the caller is at work: what breaks here is not raised in `files`."""
        with self._damage_named():
            while piece := source.read(PIECE_BYTES):
                yield piece

    def _in_folder(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        for path in sorted(self.path.iterdir()):
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    yield path.name, path.stat().st_size, self._pieces(file)

    def _in_tar(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        budget = Budget(Limits(members=MOST_FILES), str(self.path))
        seen = set[str]()
        with self.path.open("rb") as file:
            source = Peekable(file)
            form = form_of(source.head(), self.path.name)
            if form in FORMS:
                source = Peekable(Unpacked(source, form, budget, str(self.path)))
            for entry in TarReader(source).entries():
                budget.count_member()
                name = self._name(entry)
                if name and name not in seen:
                    seen.add(name)
                    yield name, entry.size_bytes, self._pieces(entry.data)

    def _name(self, entry: Entry) -> str:
        """Empty for what is passed over."""
        if entry.kind == "damage":
            raise Damaged(entry.target)
        if entry.kind != "file":
            return ""
        try:
            return clean_name(entry.name, "", Limits().name_length).text.rpartition("/")[2]
        except UserError:
            return ""
