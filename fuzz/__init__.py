"""Fuzzing: bytes → Page → Article → every format, with pages made to break Tearsheet.

    python -m fuzz --seconds 3600

target     what is done with one input, and what must be true of the results
mutation   a page → another that may break more
corpus/    small difficult pages, each named after its difficulty
"""
