"""Parser of ``sadf -x``; the form is described in `xml_form`."""

from __future__ import annotations

from .samples import SampledParser
from .sketch import Sketch
from .sniffing import sniff_xml
from .xml_form import MARK, read_sample


class SadfXmlParser(SampledParser):
    mark = MARK
    decimal_signs = b".,"
    variant = "sadf -x"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_xml(head)

    def read_sample(self, text: bytes) -> Sketch:
        return read_sample(text)
