"""Adapters: other libraries' functions under their own names, so that only an import changes."""
