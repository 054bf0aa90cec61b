"""The verbs' names, apart from their modules: deciding between window and verb must load neither."""

VERB_NAMES = (
    "new",
    "import",
    "remove",
    "info",
    "series",
    "data",
    "databases",
    "statements",
    "compare",
    "host",
    "capture",
    "cycle",
    "diagnose",
    "forecast",
    "experiment",
    "report",
    "calc",
    "check",
    "plugin",
    "demo",
)
