"""The verbs' names, apart from their modules: deciding between window and verb must load neither."""

VERB_NAMES = ("new", "import", "info", "series", "data", "compare", "report", "check", "plugin", "demo")
