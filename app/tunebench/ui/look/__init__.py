"""How everything looks and reads: theme, style, fonts, icons, formats, language."""
