"""Two folders, or one that holds both sides, become a project with an answer; what was in doubt is named."""
