"""AWR reports of our own making, with the figures that were put into them.

from tests.made.awr import report, workload

made = report(version="19c", pdb="PDB1", locale="de", truncated=0.5)
made.data                                     the bytes
made.truth                                    a `Workload`: every figure as it was printed

before = workload(seed=1, minutes=30)
after = before.later(minutes=375, factors={before.statements[0].id: {"elapsed_s": 0.1, "block_gets": 0.02}})
report(workload=before), report(workload=after)

report(version="19c", scope="global", rac=3)  a report of all instances of a cluster
text("statspack", version="9.2")              a text report; "awr" for those of AWR
report(workload=workload(restarted=True))     the instance started inside the period
"""

from tests.made.awr.model import Event, Segment, Statement, Workload, workload
from tests.made.awr.reports import MadeReport, report, text

__all__ = ["Event", "MadeReport", "Segment", "Statement", "Workload", "report", "text", "workload"]
