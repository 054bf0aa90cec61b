"""How captures get into a project: taken in and stored, put to their hosts, parsed, accounted for."""
