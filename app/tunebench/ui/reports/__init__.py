"""The success case in the window: details, texts, figures, statements, printed pages."""
