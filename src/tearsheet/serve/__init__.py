"""The web-printing service: an address in, a clean document out; corrected by hand, it learns.

api        the routes; messages the shapes, problems the errors, gate what stands before them
crew       threads that claim clips from the store and have them made
worker     a process that parses hostile pages, and can be killed; work what it does
selection  what people select and deselect
command    `tearsheet serve`; mcp: the same for language models
"""
