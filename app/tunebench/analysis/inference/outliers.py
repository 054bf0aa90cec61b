"""Values far from the rest: flagged, never deleted.

Modified z of Iglewicz & Hoaglin (How to Detect and Handle Outliers, 1993) and Tukey's fences (Exploratory Data
Analysis, 1977).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.core.records import record

MOST_Z = 3.5
_NORMAL_CONSISTENT = 0.6745
_INNER, _OUTER = 1.5, 3.0


@record
class Outliers:
    """
    Attributes:
        mad: median of the absolute deviations from the median, as it is (not scaled to the normal).
        modified_z: float64[n]; NaN for every value where `mad` is 0.
        inner: fences 1.5 interquartile ranges out; `outer`: 3.
        flagged: bool[n], |modified z| > 3.5 or beyond the outer fences. Where more than half of the values are equal
            (`mad` 0) nothing is flagged: the scale to measure by is missing.
    """

    median: float
    mad: float
    modified_z: Floats
    q1: float
    q3: float
    inner: tuple[float, float]
    outer: tuple[float, float]
    flagged: NDArray[np.bool_]


def find_outliers(values: Floats) -> Outliers:
    """Outliers among float64[n >= 1] without NaN."""
    median = float(np.median(values))
    mad = float(np.median(np.abs(values - median)))
    z = _NORMAL_CONSISTENT * (values - median) / mad if mad > 0 else np.full(len(values), np.nan)
    q1, q3 = (float(q) for q in np.quantile(values, (0.25, 0.75)))
    (inner, outer) = ((q1 - width * (q3 - q1), q3 + width * (q3 - q1)) for width in (_INNER, _OUTER))
    beyond = (values < outer[0]) | (values > outer[1])
    flagged = (np.abs(z) > MOST_Z) | beyond if mad > 0 else np.zeros(len(values), dtype=np.bool_)
    return Outliers(median, mad, z, q1, q3, inner, outer, flagged)
