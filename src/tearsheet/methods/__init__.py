"""One file a method: `score(page, segments, options) → Verdict`. The file's name is the method's.

A method that looks at the rendered page says `NEEDS_LAYOUT = True`; one that was trained names its
`PARAMETERS`, which are a file in `data/`. What several share is a module with an underscore.
"""
