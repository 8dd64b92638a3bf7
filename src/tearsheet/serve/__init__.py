"""The web-printing service turns an address into a clean document, and learns from corrections.

api          the routes; `requests` and `responses` have their shapes, `problems` the errors
middleware   who may ask, how often and how much
service      what the routes call: queue a clip, wait for it, read it, correct it
job_runner   threads that claim queued clips from the store and have a worker make them
worker       a process that parses hostile pages and can be killed; `tasks` has what it does
selection    what people select and deselect in the editor
command      `tearsheet serve`; `mcp` offers the same to language models
"""
