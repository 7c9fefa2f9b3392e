"""The report: one page for people, with everything inside."""
