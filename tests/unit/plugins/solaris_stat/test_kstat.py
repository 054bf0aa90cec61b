"""kstat -p of Solaris: counters and their rates, the hit rate of the name cache, words as facts."""

from __future__ import annotations

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.sdk import ParseContext

FIXTURE = ROOT / "tests" / "fixtures" / "solaris_stat" / "kstat-Tu.txt"


@pytest.fixture
def parser(load):
    return load("solaris_stat", "kstat:KstatParser")


@pytest.fixture
def kstat(parser, read):
    return lambda data, **context: read(parser, data, **context)


def facts(parser, data: bytes) -> dict[tuple[str, str], str]:
    one = parser(ParseContext())
    list(one.feed(data))
    list(one.finish())
    return {(fact.section, fact.name): fact.value for fact in one.facts()}


def printed(statistic: str) -> list[float]:
    """awk: what stands behind the tab of a statistic."""
    lines = [line.split("\t") for line in FIXTURE.read_text().splitlines() if "\t" in line]
    return [float(value) for name, value in lines if name == statistic]


def test_counters_gauges_and_rates_over_ten_seconds(kstat):
    found = kstat(FIXTURE.read_bytes(), piece=11)
    assert found.ledger.lines.balanced
    assert (found.ledger.lines.data, found.ledger.lines.blank) == (62, 2)
    assert found.ledger.interval_s == 10.0
    assert found.values("unix:system_pages", "freemem") == printed("unix:0:system_pages:freemem") == [36485, 26124]
    assert found.values("unix:system_pages", "pageslocked") == [139788.0] * 2
    bytes_read = printed("sd:0:sd0:nread")
    assert found.values("sd/s", "nread/s", device="sd0") == [(bytes_read[1] - bytes_read[0]) / 10]
    assert found.values("sd/s", "rtime/s", device="sd0") == [pytest.approx(0.8)]  # 8 s busy of 10 s
    assert found.values("sd/s", "rlentime/s", device="sd0") == [pytest.approx(3.0)]  # 30 s of queue in 10 s
    assert found.values("cpu_stat/s", "syscall/s", cpu="0") == [1000.0]
    assert found.values("sderr", "Hard Errors", device="sd0") == [0.0, 2.0]
    assert found.values("vmem", "mem_inuse", device="heap") == [9437184.0] * 2
    assert not [key for key in found.samples if key.native in ("snaptime", "crtime", "class")]
    assert found.times("unix:system_pages", "freemem") == ["2011-04-19 21:16:01", "2011-04-19 21:16:11"]


def test_the_hit_rate_of_the_name_cache_since_boot_and_of_the_interval(kstat):
    """Since boot as vmstat -s prints it in the founding document (96 %); of the interval it is less."""
    found = kstat(FIXTURE.read_bytes())
    hits, misses = printed("unix:0:dnlcstats:hits"), printed("unix:0:dnlcstats:misses")
    since_boot = [100 * one / (one + other) for one, other in zip(hits, misses, strict=True)]
    assert found.values("unix:dnlcstats", "cache hits") == pytest.approx(since_boot)
    assert round(since_boot[0]) == 96
    assert found.values("unix:dnlcstats/s", "cache hits") == [90.0]  # 900 of 1000


def test_the_mean_of_free_memory_is_the_rise_of_vminfo(kstat):
    """vminfo adds the free pages up once a second."""
    found = kstat(FIXTURE.read_bytes())
    assert found.values("unix:vminfo/s", "freemem/s") == [26124.0]


def test_words_are_facts_and_no_samples(parser):
    found = facts(parser, FIXTURE.read_bytes())
    assert found["disk", "sd0 Product"] == "VBOX HARDDISK"
    assert found["disk", "sd0 Revision"] == "1.0"  # a number to look at, a word by meaning
    assert found["disk", "sd0 Size bytes"] == "53687091200"


def test_rounds_without_stamps_begin_with_the_first_statistic(kstat):
    lines = [line for line in FIXTURE.read_bytes().splitlines() if not line.isdigit()]
    found = kstat(b"\n".join(lines), interval_s=10.0)
    assert found.values("cpu_stat/s", "syscall/s", cpu="0") == [1000.0]
    assert found.ledger.needs == ("start",)


LONG = """module: unix                            instance: 0
name:   dnlcstats                       class:    misc
\tcrtime                          53.211
\thits                            {hits}
\tmisses                          {misses}
\tsnaptime                        917.12

module: sderr                           instance: 0
name:   sd0,err                         class:    device_error
\tHard Errors                     {hard}
\tProduct                         VBOX HARDDISK   9

"""


def test_the_form_without_p(kstat, parser):
    text = LONG.format(hits=121367, misses=5057, hard=0) + LONG.format(hits=122267, misses=5157, hard=2)
    found = kstat(text.encode(), interval_s=10.0, piece=9)
    assert found.ledger.lines.balanced
    assert (found.ledger.lines.data, found.ledger.lines.header) == (12, 8)
    assert found.values("unix:dnlcstats", "hits") == [121367.0, 122267.0]
    assert found.values("unix:dnlcstats/s", "cache hits") == [90.0]
    assert found.values("sderr", "Hard Errors", device="sd0") == [0.0, 2.0]
    assert facts(parser, text.encode())["disk", "sd0 Product"] == "VBOX HARDDISK   9"
    assert parser.sniff(text.encode(), "kstat.txt") > 0.9


def test_both_forms_below_stamps_give_the_same(kstat):
    long = (
        "1303247761\n" + LONG.format(hits=5, misses=5, hard=0) + "1303247771\n" + LONG.format(hits=8, misses=6, hard=0)
    )
    short = "1303247761\nunix:0:dnlcstats:hits\t5\nunix:0:dnlcstats:misses\t5\nsderr:0:sd0,err:Hard Errors\t0\n"
    short += short.replace("1303247761", "1303247771").replace("hits\t5", "hits\t8").replace("misses\t5", "misses\t6")
    one, other = (kstat(text.encode()) for text in (long, short))
    values = [
        {key: [(s.time_ns, s.value) for s in kept] for key, kept in found.samples.items()} for found in (one, other)
    ]
    assert values[0] == values[1]


def test_a_counter_that_fell_gives_no_rate(kstat):
    data = FIXTURE.read_bytes().replace(b"dnlcstats:hits\t122267", b"dnlcstats:hits\t7")
    found = kstat(data)
    assert "counter_fell" in found.ledger.warnings
    assert not found.samples.get(next(key for key in found.samples if key.native == "hits/s"))


def test_korean_date_lines_are_stamps(kstat):
    data = FIXTURE.read_bytes()
    data = data.replace(b"1303247761\n", "2011년 04월 19일 (화) 오후 09시 16분 01초\n".encode())
    data = data.replace(b"1303247771\n", "2011년 04월 19일 (화) 오후 09시 16분 11초\n".encode())
    found = kstat(data, zone="Asia/Seoul")
    assert found.times("unix:system_pages", "freemem") == ["2011-04-19 12:16:01", "2011-04-19 12:16:11"]
    assert found.ledger.skipped == ()


def test_a_capture_of_everything_is_bounded(kstat):
    lines = b"".join(b"mod%d:0:thing%d:value\t1\n" % (number, number) for number in range(25_000))
    found = kstat(lines)
    assert found.skipped() == {"too_many_series": 5_000}
    assert found.ledger.lines.balanced


def test_processors_of_the_corpus(kstat, parser):
    folder = CORPUS / "wild" / "kstat"
    if not folder.is_dir():
        pytest.skip("the corpus is not beside the project")
    for path in folder.iterdir():
        data = path.read_bytes()
        found = kstat(data)
        assert found.ledger.lines.balanced
        assert found.ledger.lines.data == sum(b"\t" in line for line in data.splitlines())
        assert parser.sniff(data, path.name) > 0.9
    sparc = facts(parser, next(folder.glob("*solaris11*")).read_bytes())
    assert sparc["cpu", "processor 1 MHz"] == "4267"
    assert sparc["cpu", "processor 1"] == "on-line"
    assert ("cpu", "processor 0 pstates_nsec") not in sparc  # counts on: of the moment
