# cython: boundscheck=False, wraparound=False
"""Which of many texts have one of some words in them.

All texts are looked through at once, 64 places at a time, for two of a word's letters, the rarest
ones of it: most words that are not there are not even taken for themselves. Whether 64 places have
these letters is asked in C, which a compiler can make for any processor, and once more for those
that compare 32 letters at once.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memcmp, memcpy, memset

from functools import lru_cache

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const unsigned char *PyUnicode_DATA(object text)

cdef extern from *:
    """
    #include <stddef.h>

    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
    #if __has_attribute(target_clones)
    __attribute__((target_clones("avx2", "default")))
    #endif
    #endif
    static ptrdiff_t next_place(
        const unsigned char *one, unsigned char letter, const unsigned char *other,
        unsigned char other_letter, ptrdiff_t at, ptrdiff_t size
    ) {
        for (; at < size; at += 64) {
            unsigned char found = 0;
            for (int i = 0; i < 64; i++)
                found |= (one[at + i] == letter) & (other[at + i] == other_letter);
            if (found)
                break;
        }
        return at;
    }
    """
    Py_ssize_t next_place(
        const unsigned char *one, unsigned char letter, const unsigned char *other,
        unsigned char other_letter, Py_ssize_t at, Py_ssize_t size
    ) noexcept nogil

# The signs of attributes, from the rarest on; all others are rarer.
cdef str FREQUENT = "zjC,xk:&q;97y8v654_w3bf20g1h./pum=dclrni-s\"o ate"
cdef enum:
    ROOM = 128  # behind the texts: for 64 places and the longest word


cpdef list hinted(list texts, tuple words):
    """The numbers of the texts that have one of the words, all of ASCII, in them.

    >>> hinted(["", "a cat", "a dog", "a catalogue"], ("cat", "cow"))
    [1, 3]
    """
    cdef Py_ssize_t count = len(texts), size = 0, i
    cdef str text, word
    for text in texts:
        size += len(text) + 1
    cdef unsigned char *whole = <unsigned char *> PyMem_Malloc(size + ROOM + count)
    if whole == NULL:
        raise MemoryError
    cdef unsigned char *found = whole + size + ROOM
    try:
        memset(found, 0, count)
        join(texts, whole, found, words)
        for word in words:
            mark(texts, whole, size, word, found)
        return [i for i in range(count) if found[i]]
    finally:
        PyMem_Free(whole)


cdef int join(list texts, unsigned char *to, unsigned char *found, tuple words) except -1:
    """The texts one behind the other; those with signs beyond Latin are looked through here."""
    cdef Py_ssize_t i, size
    cdef str text
    for i in range(len(texts)):
        text = texts[i]
        size = len(text)
        if PyUnicode_KIND(text) == 1:
            memcpy(to, PyUnicode_DATA(text), size)
        else:
            memset(to, 0, size)
            found[i] = any([word in text for word in words])
        to[size] = 0
        to += size + 1
    memset(to, 0, ROOM)
    return 0


cdef int mark(
    list texts, const unsigned char *whole, Py_ssize_t size, str word, unsigned char *found
) except -1:
    """Marks the texts that have the word."""
    cdef const unsigned char *letters = PyUnicode_DATA(word)
    cdef Py_ssize_t length = len(word), at = 0, i = 0, end = len(<str> texts[0]) + 1 if texts else 0
    cdef Py_ssize_t one, other, place
    one, other = rarest(word)
    while True:
        at = next_place(whole + one, letters[one], whole + other, letters[other], at, size)
        if at >= size:
            return 0
        for place in range(at, at + 64):
            if whole[place + one] == letters[one] and not memcmp(whole + place, letters, length):
                while end <= place:
                    i += 1
                    end += len(<str> texts[i]) + 1
                found[i] = 1
        at += 64


@lru_cache
def rarest(str word):
    """The places of the two rarest letters of a word."""
    if not 2 <= len(word) <= ROOM - 64 or not word.isascii():
        raise ValueError(f"{word!r} cannot be looked for")
    return sorted(range(len(word)), key=lambda place: FREQUENT.find(word[place]))[:2]
