"""One file a method: `score(page, segments, options) → Verdict`. The file's name is the method's.

A method that looks at the rendered page says `NEEDS_LAYOUT = True`.
"""
