"""A series of a project as arrays."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.statistics import Statistics
from tunebench.domain.series import SeriesInfo
from tunebench.library.refusing import refusing
from tunebench.usecases import browse, exports
from tunebench.usecases.projects import Project


class Series:
    """One column of one thing on one host in one run, in the unit it was captured in.

    Attributes:
        info: host, run, tool, `native` heading, `metric`, `unit`, attributes and times of the series.
    """

    def __init__(self, project: Project, info: SeriesInfo) -> None:
        self._project = project
        self.info = info

    def __repr__(self) -> str:
        return f"<tunebench series {self.info.host} {self.info.tool} {self.info.label} [{self.unit}]>"

    @property
    def unit(self) -> str:
        """UCUM; empty where the capture tells none."""
        return self.info.unit

    @cached_property
    def _samples(self) -> exports.ExportedSeries:
        return exports.read(self._project, [self.info.id])[0]

    @property
    @refusing
    def times_ns(self) -> NDArray[np.int64]:
        """int64[n], UTC, of the samples that count: an average since boot is none."""
        return self._samples.times_ns

    @property
    @refusing
    def values(self) -> NDArray[np.float64]:
        """float64[n], NaN where nothing was measured."""
        return self._samples.values

    @refusing
    def statistics(self) -> Statistics:
        """Of the whole series; figures of ``series`` as JSON."""
        return browse.statistics(self._project, self.info.id)

    @refusing
    def evidence(self, time_ns: int, around: int = 2) -> browse.Evidence:
        """The lines of the capture that the sample of this moment stands on.

        Raises:
            Refused: nothing_measured_there.
        """
        return browse.evidence(self._project, self.info.id, time_ns, around)

    @refusing
    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """A stream of ``time`` (timestamp[ns], UTC) and ``value`` (double, null where nothing was measured), for
        whatever takes the Arrow PyCapsule interface: ``polars.DataFrame(series)``."""
        from tunebench.archive.arrow import stream

        return stream({"time": self.times_ns.view("datetime64[ns]"), "value": self.values}, requested_schema)
