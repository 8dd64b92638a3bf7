# cython: boundscheck=False, wraparound=False
"""The search for many words in many short texts at once, such as the attributes of a page.

A word is known from the first time it is asked for, and one pass over the texts finds all known
words. The pass looks at the three letters at every second place. Two neighbouring places of each
word are listed, so the pass meets one of them.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcmp, memcpy, memset

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const void *PyUnicode_DATA(object text)

cdef extern from *:
    """
    #include <stddef.h>

    static unsigned char MAY_BE_WORD[8192];  /* a bit for each hash of three letters */

    static unsigned hash_letters(unsigned one, unsigned two, unsigned three) {
        return ((one | two << 8 | three << 16) * 0x9E3779B1u) >> 16;
    }

    static unsigned may_be_word(const unsigned char *text) {
        unsigned four = text[0] | text[1] << 8 | text[2] << 16 | (unsigned) text[3] << 24;  /* one load */
        unsigned hash = ((four & 0xFFFFFF) * 0x9E3779B1u) >> 16;
        return MAY_BE_WORD[hash >> 3] >> (hash & 7) & 1;
    }

    /* The next place, in steps of two, that may be listed for a word; four are tested at once. */
    static ptrdiff_t next_place(const unsigned char *text, ptrdiff_t at, ptrdiff_t size) {
        for (; at < size; at += 8)
            if (may_be_word(text + at) | may_be_word(text + at + 2)
                | may_be_word(text + at + 4) | may_be_word(text + at + 6)) break;
        while (at < size && !may_be_word(text + at)) at += 2;
        return at;
    }

    /* Copies letters in lower case; every letter beyond ASCII becomes 128. */
    #define DEFINE_LOWER(NAME, SIGN) \\
    static void NAME(unsigned char *to, const void *from, ptrdiff_t size) { \\
        const SIGN *text = (const SIGN *) from; \\
        for (ptrdiff_t i = 0; i < size; i++) { \\
            SIGN sign = text[i]; \\
            to[i] = sign > 127 ? 128 : (unsigned char) (sign + 32 * (sign >= 'A' && sign <= 'Z')); \\
        } \\
    }
    DEFINE_LOWER(lower_1, unsigned char)
    DEFINE_LOWER(lower_2, unsigned short)
    DEFINE_LOWER(lower_4, unsigned int)
    """
    unsigned char MAY_BE_WORD[8192]
    unsigned hash_letters(unsigned one, unsigned two, unsigned three) noexcept nogil
    Py_ssize_t next_place(const unsigned char *text, Py_ssize_t at, Py_ssize_t size) noexcept nogil
    void lower_1(unsigned char *to, const void *text, Py_ssize_t size) noexcept nogil
    void lower_2(unsigned char *to, const void *text, Py_ssize_t size) noexcept nogil
    void lower_4(unsigned char *to, const void *text, Py_ssize_t size) noexcept nogil

cdef enum:
    LONGEST = 60
    MOST_PLACES = 4096  # two for each known word
    BEHIND = 10  # bytes after the texts, which the last test may read

cdef struct Place:
    short word, next  # next: another place with the same two letters
    unsigned char offset, length
    char[LONGEST] letters

# The most frequent pairs of characters in attributes, from the rarest on.
cdef list FREQUENT = 'me|s=|le|nt|cl| c|as|ss|in|er|co|on|en|la|re|te|" |="'.split("|")
cdef Place[MOST_PLACES] PLACES
cdef short[65536] FIRST_PLACE
cdef int place_count = 1  # 0 is none
cdef list KNOWN = []  # the known words; None: in any case
cdef dict NUMBERS = {}
cdef TextSearch last = None
memset(FIRST_PLACE, 0, sizeof(FIRST_PLACE))


def find_texts(list texts, tuple words, bint any_case=False):
    """The numbers of the texts that contain one of the words. Words must be ASCII, and in lower
    case if `any_case` is set.

    What was found in the texts of the last call is kept, as the next call is mostly about the same
    page. So a list must not change between calls, unless its length does.
    """
    global last
    cdef TextSearch search = last
    if search is None or search.texts is not texts or search.count != len(texts):
        search = last = TextSearch(texts)
    return search.find(number_words(words, any_case))


def find_begins(list texts, frozenset begins, Py_ssize_t longest):
    """The numbers of the texts of at most `longest` characters that are empty, begin with one of
    these pairs of letters, or begin with a sign."""
    cdef Py_ssize_t i, size
    cdef str text
    cdef list found = []
    for i in range(len(texts)):
        text = texts[i]
        size = len(text)
        if size <= longest and (
            not size or not (<Py_UCS4> text[0]).isalnum() or text[: min(size, 2)] in begins
        ):
            found.append(i)
    return found


cdef class TextSearch:
    """Texts, and which known words they contain."""

    cdef list texts
    cdef Py_ssize_t count
    cdef list found  # for each known word, the numbers of the texts that contain it
    cdef list tried  # for each known word, the number of the last text that was looked at for it

    def __cinit__(self, list texts):
        self.texts, self.count, self.found = texts, len(texts), []

    cdef list find(self, list numbers):
        """The numbers of the texts that contain one of the words with these numbers."""
        cdef Py_ssize_t number
        cdef set found = set()
        for number in numbers:
            if number >= len(self.found):
                self.search()
            found.update(self.found[number])
        return sorted(found)

    cdef int search(self) except -1:
        """Finds all known words in all texts."""
        cdef bytes joined = join_texts(self.texts)
        cdef const unsigned char *whole = <const unsigned char *> PyBytes_AS_STRING(joined)
        cdef Py_ssize_t size = len(joined) - BEHIND, at = 0, begin, i = -1, end = 0
        cdef Place *place
        self.found = [[] for _ in KNOWN]
        self.tried = [-1 for _ in KNOWN]
        while True:
            at = next_place(whole, at, size)
            if at >= size:
                return 0
            place = &PLACES[FIRST_PLACE[whole[at] | whole[at + 1] << 8]]
            while place != PLACES:
                begin = at - place.offset
                if begin >= 0 and not memcmp(whole + begin, place.letters, place.length):
                    while end <= begin:
                        i += 1
                        end += len(<str> self.texts[i]) + 1
                    self.add(place.word, i)
                place = &PLACES[place.next]
            at += 2

    cdef int add(self, Py_ssize_t word, Py_ssize_t i) except -1:
        """Notes that a text contains a word; where case matters, only if it is in that case. The
        text is looked at once, however often it has the word in another case."""
        if self.tried[word] != i:
            self.tried[word] = i
            exact = KNOWN[word]
            if exact is None or exact in self.texts[i]:
                (<list> self.found[word]).append(i)
        return 0


cdef bytes join_texts(list texts):
    """All texts in lower case, a zero after each, and `BEHIND` more zeros."""
    cdef Py_ssize_t size = BEHIND, length
    cdef str text
    for text in texts:
        size += len(text) + 1
    cdef bytes joined = PyBytes_FromStringAndSize(NULL, size)
    cdef unsigned char *to = <unsigned char *> PyBytes_AS_STRING(joined)
    for text in texts:
        length = len(text)
        if PyUnicode_KIND(text) == 1:
            lower_1(to, PyUnicode_DATA(text), length)
        elif PyUnicode_KIND(text) == 2:
            lower_2(to, PyUnicode_DATA(text), length)
        else:
            lower_4(to, PyUnicode_DATA(text), length)
        to[length] = 0
        to += length + 1
    memset(to, 0, BEHIND)
    return joined


cdef list number_words(tuple words, bint any_case):
    """The numbers of the words; new words become known."""
    cdef list numbers = NUMBERS.get((words, any_case))
    if numbers is None:
        numbers = [learn_word(word, any_case) for word in words]
        NUMBERS[words, any_case] = numbers
    return numbers


cdef int learn_word(str word, bint any_case) except -1:
    """Makes a word known, and returns its number."""
    global place_count
    if not 3 <= len(word) <= LONGEST or not word.isascii() or (any_case and word != word.lower()):
        raise ValueError(f"cannot search for {word!r}")
    if place_count + 2 > MOST_PLACES:
        raise ValueError("too many words to search for")
    cdef bytes letters = word.lower().encode()
    rarest = min(range(max(len(word) - 3, 1)), key=lambda at: rate_letters(word[at : at + 4]))
    for offset in (rarest, rarest + 1):
        add_place(letters, offset, len(KNOWN))
    KNOWN.append(None if any_case else word)
    return len(KNOWN) - 1


def rate_letters(str letters):
    """How frequent the pairs of these letters are, added up; 0 for the rarest."""
    return sum(rate for rate, pair in enumerate(FREQUENT, 1) if pair in letters.lower())


cdef int add_place(bytes letters, int offset, int word) except -1:
    """Lists the place `offset` of a word, so that the pass recognises the letters there."""
    global place_count
    cdef const unsigned char *text = <const unsigned char *> PyBytes_AS_STRING(letters)
    cdef int pair = text[offset] | text[offset + 1] << 8
    cdef Place *place = &PLACES[place_count]
    place.word, place.offset, place.length = word, offset, len(letters)
    memcpy(place.letters, text, len(letters))
    place.next, FIRST_PLACE[pair] = FIRST_PLACE[pair], place_count
    third = [text[offset + 2]] if offset + 2 < len(letters) else range(256)
    cdef unsigned letter, hash
    for letter in third:
        hash = hash_letters(text[offset], text[offset + 1], letter)
        MAY_BE_WORD[hash >> 3] |= 1 << (hash & 7)
    place_count += 1
    return 0
