"""Which statement after is which statement before.

The stages, surest first: a person's word, the same id, the same force-matching signature, the same text but for
blanks, comments and case, the same text but for literals, and a text that was cut off and is the beginning of just
one other. The result depends on neither the order of rows nor that of links. Several ids of one side that are one
statement (the same text under two ids, a statement with literals) are one pair, with all their ids.

Only a person joins statements of different containers (`_containers_by_name` says which are the same one).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from app.analysis.database.listing import NAMELESS, lists_everything
from app.analysis.database.record import DatabaseRecord, FigureTable, statement_keys
from app.analysis.database.statement_subtraction import LEFT
from app.analysis.database.text import folded, literal_free
from app.domain.database import STATEMENT_FIGURES, Behaviour, StatementKey

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
    LinkMethod.MANUAL: 1.0, LinkMethod.SAME_ID: 1.0, LinkMethod.SIGNATURE: 0.95, LinkMethod.TEXT: 0.95,
    LinkMethod.LITERAL_FREE: 0.75, LinkMethod.TEXT_BEGINNING: 0.5,
}  # fmt: skip
"""An order of trust, no probability."""
_ORDER = {method: -place for place, method in enumerate(LinkMethod)}


@dataclass(frozen=True, slots=True)
class ManualLink:
    """A person's word that one statement is the other, rewritten; ids, or references (`StatementKey`)."""

    before_id: str
    after_id: str
    author: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class StatementLink:
    """The keys name containers as `match_statements` compares them."""

    before: StatementKey
    after: StatementKey
    method: LinkMethod
    confidence: float = 1.0
    author: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
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
    def links(self) -> tuple[StatementLink, ...]:
        """What joins the ids; where nothing else does, they are the same."""
        if self.joined_by or not (self.before and self.after):
            return self.joined_by
        return (_link(self.before[0], self.after[0], LinkMethod.SAME_ID),)

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
        return dict.fromkeys((*old, ""), ""), dict.fromkeys((*new, ""), "")
    gone, came = old - new, new - old
    renamed = dict(zip(came, gone, strict=True)) if len(gone) == len(came) == 1 else {}
    return {name: name for name in (*old, "")}, {name: renamed.get(name, name) for name in (*new, "")}


def _containers(table: FigureTable) -> set[str]:
    """Those that are told; one that was renamed inside of a period is left under its old name."""
    named = zip(table.text("container"), table.text("seen_in"), strict=True)
    return {name for name, words in named if name and LEFT not in words.split()}


@dataclass(slots=True)
class _Side:
    """The statements of one side that did something; texts are normalised when they are first asked for.

    Attributes:
        keys: as they are compared; `captured` has the keys of the capture for each.
        texts, cut: by id, whatever the container.
    """

    engine: str
    whole: bool  # whether what it does not list did not run
    keys: frozenset[StatementKey]
    captured: Mapping[StatementKey, set[StatementKey]]
    signatures: dict[StatementKey, str]
    texts: dict[str, str]
    cut: frozenset[str]
    _folded: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, record: DatabaseRecord, names: Mapping[str, str]) -> _Side:
        table = record.table("statement")
        rows = statement_keys(table)
        captured: dict[StatementKey, set[StatementKey]] = {}
        for place in np.flatnonzero(active_rows(table)).tolist():
            if rows[place].id not in NAMELESS:
                captured.setdefault(_compared(rows[place], names), set()).add(rows[place])
        signed = zip((_compared(key, names) for key in rows), table.text("signature"), strict=True)
        signatures = dict(sorted((key, sign) for key, sign in signed if sign not in _NO_SIGNATURES and key in captured))
        texts, cut = _texts_of(record.table("statement_text"), frozenset(key.id for key in captured))
        engine, whole = record.identity.engine, lists_everything(record)
        return cls(engine, whole, frozenset(captured), captured, signatures, texts, cut)

    def whole_texts(self) -> dict[StatementKey, str]:
        return self._by_key({name: text for name, text in self.texts.items() if name not in self.cut})

    def folded_texts(self) -> dict[StatementKey, str]:
        """Of whole texts."""
        return self._by_key({name: text for name, text in self._all_folded().items() if name not in self.cut})

    def literal_free_texts(self) -> dict[StatementKey, str]:
        whole = ((name, text) for name, text in self.texts.items() if name not in self.cut)
        return self._by_key({name: literal_free(text, self.engine) for name, text in whole})

    def _all_folded(self) -> dict[str, str]:
        if not self._folded:
            self._folded = {name: folded(text, self.engine) for name, text in self.texts.items()}
        return self._folded

    def _by_key(self, found: Mapping[str, str]) -> dict[StatementKey, str]:
        return {key: found[key.id] for key in self.keys if key.id in found}

    def narrowed(self, keys: Iterable[StatementKey]) -> _Side:
        chosen = frozenset(keys)
        ids = {key.id for key in chosen}
        return _Side(
            self.engine,
            self.whole,
            chosen,
            self.captured,
            {key: sign for key, sign in self.signatures.items() if key in chosen},
            {name: text for name, text in self.texts.items() if name in ids},
            self.cut,
            {name: text for name, text in self._folded.items() if name in ids},
        )

    def beginnings(self) -> list[tuple[str, str, StatementKey]]:
        """(container, folded text, key), sorted."""
        texts = self._by_key(self._all_folded())
        return sorted((key.container, text, key) for key, text in texts.items() if len(text) >= SHORTEST_BEGINNING)

    def answering(self, reference: str) -> list[StatementKey]:
        return sorted(key for key in self.keys if any(each.answers_to(reference) for each in self.captured[key]))


def _compared(key: StatementKey, names: Mapping[str, str]) -> StatementKey:
    name = names.get(key.container, key.container)
    return key if name == key.container else StatementKey(key.id, name)


def _texts_of(table: FigureTable, ids: frozenset[str]) -> tuple[dict[str, str], frozenset[str]]:
    """Texts by id, and the ids whose text was cut off; ``<insufficient privilege>`` is no text."""
    best: dict[str, tuple[bool, str]] = {}
    whole = table.figure("complete") != 0
    for name, *found in zip(table.text("statement_id"), whole.tolist(), table.text("text"), strict=True):
        complete, text = found
        if name in ids and text and not text.startswith("<"):
            best[name] = max(best.get(name, (False, "")), (complete, text))  # a whole text before a cut one
    texts = {name: text for name, (_, text) in best.items()}
    return texts, frozenset(name for name, (complete, _) in best.items() if not complete)


_Node = tuple[int, StatementKey]
"""(0 before or 1 after, key)."""


class _Matcher:
    """Groups of keys, joined link by link; `_simple` are those of one key on either side, by the one before."""

    def __init__(self, before: _Side, after: _Side) -> None:
        self._sides = (before, after)
        same_engine = before.engine == after.engine or {before.engine, after.engine} == {"mysql", "mariadb"}
        self._common = before.keys & after.keys if same_engine else frozenset()
        self._paired = (set(self._common), set(self._common))
        self._parents: dict[_Node, _Node] = {}
        self._links: list[StatementLink] = []
        self._simple: dict[StatementKey, StatementLink] = {}
        self._simple_after: dict[StatementKey, StatementKey] = {}

    def link_by_hand(self, manual: Iterable[ManualLink]) -> None:
        """Ids alone are linked in each container that has both; across containers where there is only one way to."""
        for link in manual:
            old, new = self._sides[0].answering(link.before_id), self._sides[1].answering(link.after_id)
            ways = [(one, other) for one in old for other in new]
            within = [(one, other) for one, other in ways if one.container == other.container]
            for ends in within or (ways if len(ways) == 1 else ()):
                self._join(StatementLink(*ends, LinkMethod.MANUAL, 1.0, link.author, link.note))

    def link_alike(
        self, method: LinkMethod, traits_of: Callable[[_Side], Mapping[StatementKey, str]], join: bool
    ) -> None:
        """Joins statements of equal traits in one container where one of them has no partner yet.

        `join`: with those of the other side that have one, too, if that side's list is whole: where it is not, the
        partner may be among those that it does not show.
        """
        left = self._left()
        may_join = [join and side.whole for side in self._sides]
        if not any(keys and (may_join[1 - place] or left[1 - place]) for place, keys in enumerate(left)):
            return
        everything = any(may_join[1 - place] for place, keys in enumerate(left) if keys)
        sides = self._sides if everything else [s.narrowed(keys) for s, keys in zip(self._sides, left, strict=True)]
        traits = [
            {key: (key.container, trait) for key, trait in traits_of(side).items() if trait} for side in sides
        ]
        shared = set(traits[0].values()) & set(traits[1].values())
        if not shared:
            return
        wanted = [shared & {trait for key, trait in traits[place].items() if key in left[place]} for place in (0, 1)]
        joining = {trait for place in (0, 1) if may_join[1 - place] for trait in wanted[place]}
        waiting = (wanted[0] | wanted[1]) - joining
        groups = [_by_trait(of_side, joining) for of_side in traits]
        for of_side, keys, group in zip(traits, left, groups, strict=True):
            if waiting:
                group.update(_by_trait({key: trait for key, trait in of_side.items() if key in keys}, waiting))
        for found, before in groups[0].items():
            after = groups[1].get(found)
            if after and not self._pair_up(before, after, method):
                self._join_all(before, after, method)

    def link_beginnings(self) -> None:
        """A cut text goes with the one statement of the other side that begins like it."""
        left = self._left()
        if not all(left):
            return
        narrowed = [side.narrowed(keys) for side, keys in zip(self._sides, left, strict=True)]
        lists = [side.beginnings() for side in narrowed]
        for place in (0, 1):
            for container, text, key in lists[place]:
                partners = _begun_by(container, text, lists[1 - place]) if key.id in narrowed[place].cut else []
                for partner in partners:
                    ends = (key, partner) if place == 0 else (partner, key)
                    self._join(_link(*ends, LinkMethod.TEXT_BEGINNING))

    def pairs(self) -> list[MatchedPair]:
        grouped: dict[_Node, tuple[set[StatementKey], set[StatementKey]]] = {}
        for node in self._parents:
            grouped.setdefault(self._root(node), (set(), set()))[node[0]].add(node[1])
        links: dict[_Node, list[StatementLink]] = {}
        for link in self._links:
            links.setdefault(self._root((0, link.before)), []).append(link)
        pairs = [
            self._pair(keys[0], keys[1], tuple(sorted(set(links[root]), key=_link_order)))
            for root, keys in grouped.items()
        ]
        pairs += [self._pair((key,), (link.after,), (link,)) for key, link in self._simple.items()]
        pairs += [self._pair((key,), (key,)) for key in self._common - self._paired_anew()]
        before, after = self._left()
        pairs += [self._pair((key,), ()) for key in before] + [self._pair((), (key,)) for key in after]
        return sorted(pairs, key=lambda pair: (pair.before or pair.after, pair.after))

    def _pair(
        self, before: Iterable[StatementKey], after: Iterable[StatementKey], links: tuple[StatementLink, ...] = ()
    ) -> MatchedPair:
        """With the keys as the captures have them."""
        one, other = (
            tuple(sorted(each for key in keys for each in side.captured[key]))
            for side, keys in zip(self._sides, (before, after), strict=True)
        )
        return MatchedPair(one, other, links)

    def _paired_anew(self) -> set[StatementKey]:
        return {key for _, key in self._parents}

    def _left(self) -> tuple[frozenset[StatementKey], frozenset[StatementKey]]:
        """The statements of either side without a partner."""
        return self._sides[0].keys - self._paired[0], self._sides[1].keys - self._paired[1]

    def _pair_up(self, before: Sequence[StatementKey], after: Sequence[StatementKey], method: LinkMethod) -> bool:
        """Whether these are one key on either side that have no partner yet: most are, so that this has to be quick."""
        one, other = before[0], after[0]
        if len(before) > 1 or len(after) > 1 or one in self._paired[0] or other in self._paired[1]:
            return False
        self._simple[one], self._simple_after[other] = _link(one, other, method), one
        self._paired[0].add(one)
        self._paired[1].add(other)
        return True

    def _settle(self, before: StatementKey | None) -> None:
        """A simple pair that gets more keys."""
        link = self._simple.pop(before, None) if before is not None else None
        if link is not None:
            del self._simple_after[link.after]
            self._unite(link)

    def _join_all(self, before: Sequence[StatementKey], after: Sequence[StatementKey], method: LinkMethod) -> None:
        for name in after:
            self._join(_link(before[0], name, method))
        for name in before[1:]:
            self._join(_link(name, after[0], method))

    def _join(self, link: StatementLink) -> None:
        """Brings along what either end was paired with before."""
        self._settle(link.before)
        self._settle(self._simple_after.get(link.after))
        if link.before == link.after and link.before in self._common and link.method is not LinkMethod.MANUAL:
            link = _link(link.before, link.after, LinkMethod.SAME_ID)
        for name in {link.before, link.after} & self._common:
            if (0, name) not in self._parents:
                self._unite(_link(name, name, LinkMethod.SAME_ID))
        self._unite(link)

    def _unite(self, link: StatementLink) -> None:
        self._links.append(link)
        self._paired[0].add(link.before)
        self._paired[1].add(link.after)
        one, other = sorted((self._root((0, link.before)), self._root((1, link.after))))
        self._parents[other] = one

    def _root(self, node: _Node) -> _Node:
        parent = self._parents.setdefault(node, node)
        while parent != node:
            self._parents[node] = self._parents[parent]
            node, parent = parent, self._parents[parent]
        return node


def _link(before: StatementKey, after: StatementKey, method: LinkMethod) -> StatementLink:
    return StatementLink(before, after, method, CONFIDENCE[method])


def _link_order(link: StatementLink) -> tuple[StatementKey, StatementKey, str, str]:
    return link.before, link.after, link.method, link.author + link.note


_Trait = tuple[str, str]
"""(container, signature or text)."""


def _by_trait(traits: Mapping[StatementKey, _Trait], wanted: set[_Trait]) -> dict[_Trait, list[StatementKey]]:
    """Sorted keys by trait."""
    groups: dict[_Trait, list[StatementKey]] = {}
    for key, trait in traits.items():
        if trait in wanted:
            groups.setdefault(trait, []).append(key)
    for keys in groups.values():
        keys.sort()
    return groups


def _begun_by(container: str, text: str, texts: Sequence[tuple[str, str, StatementKey]]) -> list[StatementKey]:
    """The statements of the one text of a container that begins with `text`; none where several do."""
    first = bisect_left(texts, (container, text, StatementKey("")))
    last = bisect_right(texts, (container, text + "\U0010ffff", StatementKey("")))
    found = texts[first:last]
    return [key for *_, key in found] if found and found[0][1] == found[-1][1] else []
