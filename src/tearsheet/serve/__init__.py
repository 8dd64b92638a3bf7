"""The web-printing service: an address in, a clean document out; corrected by hand, it learns.

api        the routes; messages the shapes, problems the errors, gate what stands before them
crew       threads that claim clips from the store and have them made
worker     a process that parses hostile pages, and can be killed; work what it does
store      SQLite: clips, documents, rules, corrections
selection  what people select and deselect; paths names nodes, on one page and on a whole site
command    `tearsheet serve`; mcp: the same for language models
"""
