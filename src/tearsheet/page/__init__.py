"""Snapshot → Page: the page as a table, from parsed HTML or from a rendered layout."""
