"""Fuzzing: bytes → Page → Article → every format, with pages made to break it.

    python -m fuzz --seconds 3600

target     what one input goes through, and what must hold of what comes out
mutation   one page → another that may break more
corpus/    small nasty pages, each named by what is nasty about it
"""
