"""One module per method: `score(page, segments, options) → Verdict`. Its name is the method's name.

A method that looks at the rendered page says `NEEDS_LAYOUT = True`; a trained one names its
`PARAMETERS`, a file in `data/`. A module that several methods share begins with an underscore.
"""
