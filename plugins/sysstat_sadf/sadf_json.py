"""Parser of ``sadf -j``; the form is described in `json_form`."""

from __future__ import annotations

from .json_form import MARK, read_sample
from .samples import SampledParser
from .sketch import Sketch
from .sniffing import sniff_json


class SadfJsonParser(SampledParser):
    mark = MARK
    variant = "sadf -j"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_json(head)

    def read_sample(self, text: bytes) -> Sketch:
        return read_sample(text)
