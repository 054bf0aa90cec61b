"""Which statement after is which statement before.

The stages, surest first: a person's word, the same id, the same force-matching signature, the same text but for
blanks, comments and case, the same text but for literals, and a text that was cut off and is the beginning of just
one other. The result depends on neither the order of rows nor that of links. Several ids of one side that are one
statement (the same text under two ids, a statement with literals) are one pair, with all their ids.

Only a person joins statements of different containers (`_containers_by_name` says which are the same one).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

import numpy as np

from tunebench.analysis.databases.listing import NAMELESS, lists_everything
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, statement_keys
from tunebench.analysis.databases.statement_subtraction import LEFT
from tunebench.analysis.databases.text import folded, literal_free
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.databases.records import STATEMENT_FIGURES, Behaviour, StatementKey

SHORTEST_BEGINNING = 30
"""Characters a cut text must have to be known again by."""
_NO_SIGNATURES = frozenset({"", "0"})


class LinkMethod(StrEnum):
    MANUAL = "manual"
    SAME_ID = "same_id"
    SIGNATURE = "signature"
    TEXT = "text"
    LITERAL_FREE = "literal_free"
    TEXT_BEGINNING = "text_beginning"


CONFIDENCE: Mapping[LinkMethod, float] = {
    LinkMethod.MANUAL: 1.0,
    LinkMethod.SAME_ID: 1.0,
    LinkMethod.SIGNATURE: 0.95,
    LinkMethod.TEXT: 0.95,
    LinkMethod.LITERAL_FREE: 0.75,
    LinkMethod.TEXT_BEGINNING: 0.5,
}
"""An order of trust, no probability."""
_ORDER = {method: -place for place, method in enumerate(LinkMethod)}


@record
class ManualLink:
    """A person's word that one statement is the other, rewritten; ids, or references (`StatementKey`)."""

    before_id: str
    after_id: str
    author: str = ""
    note: str = ""


@record
class StatementLink:
    """References, with containers by the names they are compared under."""

    before_id: str
    after_id: str
    method: LinkMethod
    confidence: float = 1.0
    author: str = ""
    note: str = ""


@record
class MatchedPair:
    """One statement: its keys on either side, sorted; those of one side are missing where it did not run there."""

    before: tuple[StatementKey, ...]
    after: tuple[StatementKey, ...]
    joined_by: tuple[StatementLink, ...] = ()

    @property
    def before_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key.id for key in self.before))

    @property
    def after_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key.id for key in self.after))

    @property
    def container(self) -> str:
        """``PDB1``; ``old → new`` of one that was renamed; empty where no side tells."""
        sides = (containers_text(keys) for keys in (self.before, self.after))
        return " → ".join(dict.fromkeys(side for side in sides if side))

    @property
    def name(self) -> str:
        """The id, or the first before and the last after."""
        ids = (*self.before_ids, *self.after_ids)
        return " → ".join(dict.fromkeys((ids[0], ids[-1])))

    def runs_in(self, container: str) -> bool:
        """Whether it ran in the container on either side; everything does where none is named."""
        return not container or any(key.container == container for key in (*self.before, *self.after))

    @property
    def links(self) -> tuple[StatementLink, ...]:
        """What joins the ids; where nothing else does, they are the same."""
        if self.joined_by or not (self.before and self.after):
            return self.joined_by
        return (_link(self.before[0].reference, self.after[0].reference, LinkMethod.SAME_ID),)

    @property
    def weakest(self) -> StatementLink | None:
        """The link that the pair stands or falls with."""
        links = self.links
        if len(links) == 1:
            return links[0]
        return min(links, key=lambda link: (link.confidence, _ORDER[link.method]), default=None)

    @property
    def method(self) -> LinkMethod | None:
        return self.weakest.method if self.weakest else None

    @property
    def confidence(self) -> float:
        """0 where there is nothing on one side."""
        return self.weakest.confidence if self.weakest else 0.0


def containers_text(keys: Iterable[StatementKey]) -> str:
    return ", ".join(dict.fromkeys(key.container for key in keys if key.container))


def several_containers(pairs: Iterable[MatchedPair]) -> bool:
    return len({key.container for pair in pairs for key in (*pair.before, *pair.after)}) > 1


def shared_ids(keys: Iterable[StatementKey]) -> frozenset[str]:
    """Ids that stand in several containers: alone they do not say which statement is meant."""
    first: dict[str, str] = {}
    return frozenset(id_ for id_, container in keys if first.setdefault(id_, container) != container)


def match_statements(
    before: DatabaseRecord, after: DatabaseRecord, manual: Iterable[ManualLink] = ()
) -> list[MatchedPair]:
    """Pairs of the statements that did something, in the order of their ids."""
    names = _containers_by_name(before.table("statement"), after.table("statement"))
    matcher = _Matcher(_Side.of(before, names[0]), _Side.of(after, names[1]))
    matcher.link_by_hand(manual)
    matcher.link_alike(LinkMethod.SIGNATURE, lambda side: side.signatures, join=True)
    matcher.link_alike(LinkMethod.TEXT, _Side.whole_texts, join=True)  # spares the next stage most of its work
    matcher.link_alike(LinkMethod.TEXT, _Side.folded_texts, join=True)
    matcher.link_alike(LinkMethod.LITERAL_FREE, _Side.literal_free_texts, join=False)
    matcher.link_beginnings()
    return matcher.pairs()


def active_rows(table: FigureTable) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """bool[n]: whether any total of the row is above zero."""
    active = np.zeros(len(table), dtype=bool)
    for name, values in table.figures.items():
        if STATEMENT_FIGURES[name].behaviour is Behaviour.COUNTER:
            active |= values > 0
    return active


def _containers_by_name(before: FigureTable, after: FigureTable) -> tuple[dict[str, str], dict[str, str]]:
    """Under which name each container of either side is compared.

    The same name is the same container, and the only name that is left on either side a renamed one. Where one side
    tells of no containers, the other is compared over all of its own: what only one side tells does not part them.
    """
    old, new = _containers(before), _containers(after)
    if not old or not new:
        return dict.fromkeys(old, ""), dict.fromkeys(new, "")
    gone, came = old - new, new - old
    return {}, dict(zip(came, gone, strict=True)) if len(gone) == len(came) == 1 else {}


def _containers(table: FigureTable) -> set[str]:
    """The containers that a record names; one renamed inside of a period keeps its old name."""
    named = zip(table.text("container"), table.text("seen_in"), strict=True)
    return {name for name, words in named if name and LEFT not in words.split()}


@record(frozen=False)
class _Side:
    """The statements of one side that did something; texts are normalised when they are first asked for.

    Attributes:
        keys: by reference, with the container as it is compared; `captured`: what the capture calls each, sorted.
        signatures: by reference, behind the container they are looked for in; `texts` and `cut` by id.
    """

    engine: str
    whole: bool  # whether what it does not list did not run
    keys: Mapping[str, StatementKey]
    captured: Mapping[str, tuple[StatementKey, ...]]
    signatures: dict[str, str]
    texts: dict[str, str]
    cut: frozenset[str]
    _folded: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, record: DatabaseRecord, names: Mapping[str, str]) -> _Side:
        table = record.table("statement")
        rows = statement_keys(table)
        keys: dict[str, StatementKey] = {}
        captured: dict[str, tuple[StatementKey, ...]] = {}
        references: dict[StatementKey, str] = {}
        for row in dict.fromkeys(rows[index] for index in np.flatnonzero(active_rows(table)).tolist()):
            if row.id not in NAMELESS:
                key = row._replace(container=names[row.container]) if row.container in names else row
                reference = references[row] = key.reference
                alike = captured.get(reference)
                keys[reference], captured[reference] = key, (row,) if alike is None else tuple(sorted((*alike, row)))
        signed = sorted(
            (references[row], sign)
            for row, sign in zip(rows, table.text("signature"), strict=True)
            if sign not in _NO_SIGNATURES and row in references
        )
        signatures = {reference: _within(keys[reference].container, sign) for reference, sign in signed}
        texts, cut = _texts_of(record.table("statement_text"), {key.id for key in keys.values()})
        return cls(record.identity.engine, lists_everything(record), keys, captured, signatures, texts, cut)

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self.keys)

    def whole_texts(self) -> dict[str, str]:
        return self._by_reference({name: text for name, text in self.texts.items() if name not in self.cut})

    def folded_texts(self) -> dict[str, str]:
        """The folded texts of statements whose text is whole."""
        return self._by_reference({name: text for name, text in self._all_folded().items() if name not in self.cut})

    def literal_free_texts(self) -> dict[str, str]:
        whole = ((name, text) for name, text in self.texts.items() if name not in self.cut)
        return self._by_reference({name: literal_free(text, self.engine) for name, text in whole})

    def _all_folded(self) -> dict[str, str]:
        if not self._folded:
            self._folded = {name: folded(text, self.engine) for name, text in self.texts.items()}
        return self._folded

    def _by_reference(self, keys: Mapping[str, str]) -> dict[str, str]:
        """Texts by id, for each container behind its name."""
        return {
            reference: _within(container, text)
            for reference, (id_, container) in self.keys.items()
            if (text := keys.get(id_))
        }

    def narrowed(self, ids: Iterable[str]) -> _Side:
        chosen = {name: self.keys[name] for name in ids}
        named = {key.id for key in chosen.values()}
        return _Side(
            self.engine,
            self.whole,
            chosen,
            self.captured,
            {name: sign for name, sign in self.signatures.items() if name in chosen},
            {name: text for name, text in self.texts.items() if name in named},
            self.cut,
            {name: text for name, text in self._folded.items() if name in named},
        )

    def beginnings(self) -> list[tuple[str, str]]:
        """(folded text behind its container, reference), sorted."""
        long = {name: text for name, text in self._all_folded().items() if len(text) >= SHORTEST_BEGINNING}
        return sorted((text, reference) for reference, text in self._by_reference(long).items())

    def answering(self, reference: str) -> list[str]:
        return sorted(name for name, rows in self.captured.items() if any(row.answers_to(reference) for row in rows))


def _within(container: str, text: str) -> str:
    """A signature that is equal only within one container."""
    return f"{container}\0{text}" if container else text


def _texts_of(table: FigureTable, ids: Container[str]) -> tuple[dict[str, str], frozenset[str]]:
    """Texts by id, and the ids whose text was cut off; ``<insufficient privilege>`` is no text."""
    best: dict[str, tuple[bool, str]] = {}
    whole = table.figure("complete") != 0
    for name, *rest in zip(table.text("statement_id"), whole.tolist(), table.text("text"), strict=True):
        complete, text = rest
        if name in ids and text and not text.startswith("<"):
            best[name] = max(best.get(name, (False, "")), (complete, text))  # a whole text before a cut one
    texts = {name: text for name, (_, text) in best.items()}
    return texts, frozenset(name for name, (complete, _) in best.items() if not complete)


_Node = tuple[int, str]
"""(0 before or 1 after, reference)."""


class _Matcher:
    """Groups of ids, joined link by link; `_simple` are those of one id on either side, by the one before."""

    def __init__(self, before: _Side, after: _Side) -> None:
        self._sides = (before, after)
        same_engine = before.engine == after.engine or {before.engine, after.engine} == {"mysql", "mariadb"}
        self._common = before.ids & after.ids if same_engine else frozenset()
        self._paired = (set(self._common), set(self._common))
        self._parents: dict[_Node, _Node] = {}
        self._links: list[StatementLink] = []
        self._simple: dict[str, StatementLink] = {}
        self._simple_after: dict[str, str] = {}

    def link_by_hand(self, manual: Iterable[ManualLink]) -> None:
        """Ids alone are linked in each container that has both; across containers where there is only one way to."""
        old, new = self._sides
        for link in manual:
            ways = [(one, other) for one in old.answering(link.before_id) for other in new.answering(link.after_id)]
            within = [(one, other) for one, other in ways if old.keys[one].container == new.keys[other].container]
            for ends in within or (ways if len(ways) == 1 else ()):
                self._join(StatementLink(*ends, LinkMethod.MANUAL, 1.0, link.author, link.note))

    def link_alike(self, method: LinkMethod, keys_of: Callable[[_Side], Mapping[str, str]], join: bool) -> None:
        """Joins statements of equal keys where one of them has no partner yet.

        `join`: with those of the other side that have one, too, if that side's list is whole: where it is not, the
        partner may be among those that it does not show.
        """
        left = self._left()
        may_join = [join and side.whole for side in self._sides]
        if not any(ids and (may_join[1 - end] or left[1 - end]) for end, ids in enumerate(left)):
            return
        everything = any(may_join[1 - end] for end, ids in enumerate(left) if ids)
        sides = self._sides if everything else [s.narrowed(ids) for s, ids in zip(self._sides, left, strict=True)]
        keys = [keys_of(side) for side in sides]
        shared = (set(keys[0].values()) & set(keys[1].values())) - {""}
        if not shared:
            return
        wanted = [shared & {key for name, key in keys[end].items() if name in left[end]} for end in (0, 1)]
        joining = {key for end in (0, 1) if may_join[1 - end] for key in wanted[end]}
        waiting = (wanted[0] | wanted[1]) - joining
        groups = [_by_key(of_side, joining) for of_side in keys]
        for of_side, ids, group in zip(keys, left, groups, strict=True):
            if waiting:
                group.update(_by_key({name: key for name, key in of_side.items() if name in ids}, waiting))
        for key, ids_before in groups[0].items():
            ids_after = groups[1].get(key)
            if ids_after and not self._pair_up(ids_before, ids_after, method):
                self._join_all(ids_before, ids_after, method)

    def link_beginnings(self) -> None:
        """A cut text goes with the one statement of the other side that begins like it."""
        left = self._left()
        if not all(left):
            return
        narrowed = [side.narrowed(ids) for side, ids in zip(self._sides, left, strict=True)]
        lists = [side.beginnings() for side in narrowed]
        for end in (0, 1):
            for text, name in lists[end]:
                is_cut = narrowed[end].keys[name].id in narrowed[end].cut
                partners = _begun_by(text, lists[1 - end]) if is_cut else []
                for partner in partners:
                    ends = (name, partner) if end == 0 else (partner, name)
                    self._join(_link(*ends, LinkMethod.TEXT_BEGINNING))

    def pairs(self) -> list[MatchedPair]:
        grouped: dict[_Node, tuple[set[str], set[str]]] = {}
        for node in self._parents:
            grouped.setdefault(self._root(node), (set(), set()))[node[0]].add(node[1])
        links = by_key((self._root((0, link.before_id)), link) for link in self._links)
        old, new = (side.captured for side in self._sides)
        pairs = [
            MatchedPair(
                tuple(sorted(key for name in ids[0] for key in old[name])),
                tuple(sorted(key for name in ids[1] for key in new[name])),
                tuple(sorted(set(links[root]), key=_link_order)),
            )
            for root, ids in grouped.items()
        ]
        pairs += [MatchedPair(old[name], new[link.after_id], (link,)) for name, link in self._simple.items()]
        pairs += [MatchedPair(old[name], new[name]) for name in self._common - self._paired_anew()]
        before, after = self._left()
        pairs += [MatchedPair(old[name], ()) for name in before] + [MatchedPair((), new[name]) for name in after]
        return sorted(pairs, key=lambda pair: (*(pair.before or pair.after)[0], not pair.before))

    def _paired_anew(self) -> set[str]:
        return {name for _, name in self._parents}

    def _left(self) -> tuple[frozenset[str], frozenset[str]]:
        """The ids of either side without a partner."""
        return self._sides[0].ids - self._paired[0], self._sides[1].ids - self._paired[1]

    def _pair_up(self, before: Sequence[str], after: Sequence[str], method: LinkMethod) -> bool:
        """Whether these are one id on either side that have no partner yet: most are, so that this has to be quick."""
        one, other = before[0], after[0]
        if len(before) > 1 or len(after) > 1 or one in self._paired[0] or other in self._paired[1]:
            return False
        self._simple[one], self._simple_after[other] = _link(one, other, method), one
        self._paired[0].add(one)
        self._paired[1].add(other)
        return True

    def _settle(self, before_id: str | None) -> None:
        """A simple pair that gets more ids."""
        link = self._simple.pop(before_id, None) if before_id is not None else None
        if link is not None:
            del self._simple_after[link.after_id]
            self._unite(link)

    def _join_all(self, before: Sequence[str], after: Sequence[str], method: LinkMethod) -> None:
        for name in after:
            self._join(_link(before[0], name, method))
        for name in before[1:]:
            self._join(_link(name, after[0], method))

    def _join(self, link: StatementLink) -> None:
        """Brings along what either id was paired with before."""
        self._settle(link.before_id)
        self._settle(self._simple_after.get(link.after_id))
        if link.before_id == link.after_id and link.before_id in self._common and link.method is not LinkMethod.MANUAL:
            link = _link(link.before_id, link.after_id, LinkMethod.SAME_ID)
        for name in {link.before_id, link.after_id} & self._common:
            if (0, name) not in self._parents:
                self._unite(_link(name, name, LinkMethod.SAME_ID))
        self._unite(link)

    def _unite(self, link: StatementLink) -> None:
        self._links.append(link)
        self._paired[0].add(link.before_id)
        self._paired[1].add(link.after_id)
        one, other = sorted((self._root((0, link.before_id)), self._root((1, link.after_id))))
        self._parents[other] = one

    def _root(self, node: _Node) -> _Node:
        parent = self._parents.setdefault(node, node)
        while parent != node:
            self._parents[node] = self._parents[parent]
            node, parent = parent, self._parents[parent]
        return node


def _link(before_id: str, after_id: str, method: LinkMethod) -> StatementLink:
    return StatementLink(before_id, after_id, method, CONFIDENCE[method])


def _link_order(link: StatementLink) -> tuple[str, str, str, str]:
    return link.before_id, link.after_id, link.method, link.author + link.note


def _by_key(keys: Mapping[str, str], wanted: set[str]) -> dict[str, list[str]]:
    """Sorted ids by key."""
    groups = by_key((key, name) for name, key in keys.items() if key in wanted)
    for names in groups.values():
        names.sort()
    return groups


def _begun_by(text: str, texts: Sequence[tuple[str, str]]) -> list[str]:
    """The ids of the one text that begins with `text`; none where several do."""
    first = bisect_left(texts, (text, ""))
    last = bisect_right(texts, (text + "\U0010ffff", ""))
    begun = texts[first:last]
    return [name for _, name in begun] if begun and begun[0][0] == begun[-1][0] else []
