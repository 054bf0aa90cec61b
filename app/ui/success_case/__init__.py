"""Parts of the pages that write the success case: details, texts, figures, statements, printed pages."""
