"""The tuning cycle's vocabulary: records, their book, the worksheet, evidence."""
