"""The made reports among the fixtures of the repository, and how each was made.

python -m tests.made.awr.fixtures            writes them again
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.made.awr.compare import compare_report
from tests.made.awr.markup import Style
from tests.made.awr.model import workload
from tests.made.awr.reports import mail_folder, report, text

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "fixtures" / "awr"
TEXT_FOLDER = ROOT / "plugins" / "oracle_text" / "fixtures"
OWN_FOLDER = ROOT / "plugins" / "oracle_awr" / "fixtures"


def fixtures() -> dict[Path, bytes]:
    work = workload(seed=6, statements=9)
    later = work.later(minutes=30, factors={work.statements[0].id: {"elapsed_s": 0.1, "block_gets": 0.02}})
    return {
        OWN_FOLDER / "awr_19c_pdb.html": report("19c", pdb="SALES", top=5, workload=work).data,
        OWN_FOLDER / "awr_compare.html": compare_report(Style(), work, later, top=4).encode(),
        TEXT_FOLDER / "statspack_11g.txt": text("statspack", "11.2", top=5, workload=work).data,
        TEXT_FOLDER / "awr_text_19c.txt": text("awr", "19c", top=5, workload=work).data,
        FOLDER / "statspack_9i_cut_off.txt": text(
            "statspack", "9.2", top=5, workload=work, truncated=0.8, crlf=True
        ).data,
        FOLDER / "statspack_10g_ko_cp949.txt": text(
            "statspack", "10.2", locale="ko", encoding="cp949", top=5, workload=work
        ).data,
        FOLDER / "awr_text_11g_cut_ids.txt": text(
            "awr", "11.2", top=9, cut_ids=11, workload=work, form_feeds=True
        ).data,
        FOLDER / "awr_compare_rac_de.html": compare_report(
            Style("de"), work, replace(later, db_id="99"), instances=2, top=4
        ).encode(),
        OWN_FOLDER / "awr_rac_global.html": report("19c", scope="global", rac=2, top=5, workload=work).data,
        FOLDER / "awr_10g.html": report("10.2", top=5, workload=work).data,
        FOLDER / "awr_11g_ko_cp949.html": report("11.2", top=5, locale="ko", encoding="cp949", workload=work).data,
        FOLDER / "awr_23ai_root.html": report(
            "23ai", cdb=True, top=5, workload=workload(seed=7, statements=9, containers=("PDB1", "PDB2"))
        ).data,
        FOLDER / "awr_two_in_a_mail.html": mail_folder(
            [report("12.2", top=4, workload=work), report("12.2", top=4, workload=later, truncated=0.6)]
        ),
        FOLDER / "awr_rac_global.html": report("19c", scope="global", rac=2, top=5, locale="de", workload=work).data,
    }


if __name__ == "__main__":
    for path, data in fixtures().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
