# cython: boundscheck=False, wraparound=False
"""Splits names and texts into words, and fills the columns that learned words give.

A word is looked up by its place in a text, without cutting out a string; its key is a hash of its
letters. `WordRows` says which row of the table each column is.
"""

from libc.math cimport log1p
from libc.string cimport memchr

import numpy as np

from tearsheet.tags import HEADINGS, mask

ctypedef unsigned long long Number

cdef enum:  # the values of a learned word
    EFFECT = 0  # by itself
    AROUND = 1  # a name: on any element around a segment
    OWN = 2  # … and on the innermost element that has a name
    IN_TEXT = 1  # a word of a text: in the segment
    IN_HEADING = 2  # … in the heading above it
    IN_FIRST_LINE = 3  # … and in the first line of a container
    VALUES = 4

cdef enum:
    MOST_LABEL_WORDS = 12  # a text of at most so many words is also a label ("Related stories")
    BEGINNING = 100  # only the words in so many characters of a text count
    LABEL = 60  # a label is looked up as a whole by so many characters

LABEL_WORDS = MOST_LABEL_WORDS
cdef Number START = 0xCBF29CE484222325, PRIME = 0x100000001B3  # Fowler, Noll and Vo's hash

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const void *PyUnicode_DATA(object text)

cdef extern from *:
    """
    #include <stddef.h>
    #include <string.h>

    /* Whether an attribute of this name says what an element is. */
    static int is_naming(const unsigned char *name, ptrdiff_t size) {
        switch (size) {
            case 2: return !memcmp(name, "id", 2);
            case 4: return !memcmp(name, "role", 4);
            case 5: return !memcmp(name, "class", 5);
            case 8: return !memcmp(name, "itemprop", 8) || !memcmp(name, "itemtype", 8);
            case 10: return !memcmp(name, "aria-label", 10);
            case 11: return !memcmp(name, "data-testid", 11);
            default: return 0;
        }
    }
    """
    bint is_naming(const unsigned char *name, Py_ssize_t size) noexcept

ctypedef const unsigned char *Letters

cdef const unsigned char[::1] IS_HEADING = HEADINGS.astype(np.uint8)
cdef const unsigned char[::1] IS_MAIN_HEADING = mask("h1", "h2").astype(np.uint8)


cdef class WordRows:
    """The row of each column in the table."""

    cdef public int names_sum, names_worst, names_best
    cdef public int text_effect, worst_word, best_word, mean_word, title_overlap, title_coverage
    cdef public int since_heading, heading_effect, heading_mean_word, heading_tag
    cdef public int main_heading_mean_word, main_heading_effect, since_main_heading
    cdef public int weight_sum, weight_names, weight_own_names, weight_text, weight_heading
    cdef public int weight_first_lines
    cdef public const int[::1] names_of_container, first_line_effect, first_line_mean_word


cdef class Words:
    """Learned words, each with a row of values; row 0, all zeros, is for every other word.

    >>> words = Words(["comments", "~comments"], [[1.0, 0.5], [2.0, 0.0]])
    >>> words.values[words.row("12 Comments", 3, 11, True), 0]
    2.0
    """

    cdef readonly float[:, ::1] values
    cdef Number last
    cdef unsigned int[::1] halves  # half of each key: its slot tells the rest
    cdef int[::1] rows

    def __init__(self, words, values):
        given = np.asarray(values, dtype=np.float32)
        table = np.zeros((len(given) + 1, VALUES), dtype=np.float32)
        if len(given):
            given = given.reshape(len(given), -1)
            table[1:, : given.shape[1]] = given
        self.values = table
        known = {word: row for row, (word, _) in enumerate(zip(words, given), 1)}
        size = 64
        while size < 1.5 * len(known):
            size *= 2
        self.last = size - 1
        self.halves = np.zeros(size, dtype=np.uint32)
        self.rows = np.zeros(size, dtype=np.int32)
        for word, row in known.items():
            self.put(word, row)

    cdef int put(self, str word, int row) except -1:
        """Adds a word with its row."""
        cdef Number key = hash_word(word)
        cdef Py_ssize_t slot = self.slot(key)
        self.halves[slot], self.rows[slot] = <unsigned int> (key >> 32), row
        return 0

    cdef Py_ssize_t slot(self, Number key) noexcept:
        """The slot of a key, or the free slot for it."""
        cdef Number slot = key & self.last
        cdef unsigned int half = <unsigned int> (key >> 32)
        while self.halves[slot] and self.halves[slot] != half:
            slot = (slot + 1) & self.last
        return slot

    cdef int find(self, Number key) noexcept:
        """The row of the word with this key; 0 if unknown."""
        return self.rows[self.slot(key)]

    def row(self, str text, Py_ssize_t start, Py_ssize_t stop, bint marked):
        """Row of the word text[start:stop]; 0 if unknown. An empty word stands for a number.
        `marked`: the word is in a text that is longer than a label."""
        cdef Number key = add_letter(START, ord(u"~")) if marked else START
        cdef Py_ssize_t at
        if start == stop:
            key = add_letter(key, ord(u"0"))
        for at in range(start, stop):
            key = add_letter(key, to_lower(text[at]))
        return self.find(key)

    cdef int find_name(self, Letters text, Py_ssize_t start, Py_ssize_t stop) noexcept:
        """Row of the name text[start:stop]; 0 if unknown."""
        cdef Number key = START
        cdef Py_ssize_t at
        for at in range(start, stop):
            key = add_letter(key, to_lower(text[at]))
        return self.find(key)

    cdef int find_label(self, str text, const int[::1] spans, Py_ssize_t count) except -1:
        """Row of a label, its words joined by single spaces; 0 if unknown."""
        cdef Number key = add_letter(START, ord(u"="))
        cdef Py_ssize_t left = LABEL, i, start, stop, at
        for i in range(count):
            start, stop = spans[2 * i], spans[2 * i + 1]
            if i and left:
                key = add_letter(key, ord(u" "))
                left -= 1
            if start == stop and left:
                key = add_letter(key, ord(u"0"))
                left -= 1
            for at in range(start, min(stop, start + left)):
                key = add_letter(key, to_lower(text[at]))
            left -= min(stop - start, left)
        return self.find(key)


cdef class WordSet:
    """A set of words without values, such as those of a title."""

    cdef Number last
    cdef Number[::1] keys  # 0: none

    def __init__(self, list words):
        cdef str word
        cdef Py_ssize_t size = 8
        while size < 2 * len(words):
            size *= 2
        self.last = size - 1
        self.keys = np.zeros(size, dtype=np.uint64)
        for word in words:
            self.put(hash_word(word))

    cdef void put(self, Number key) noexcept:
        """Adds a key."""
        self.keys[self.slot(key)] = key

    cdef bint has(self, Number key) noexcept:
        """Whether a key is in the set."""
        return self.keys[self.slot(key)] == key

    cdef Number slot(self, Number key) noexcept:
        """The slot of a key, or the free slot for it."""
        cdef Number slot = (key >> 32 ^ key) & self.last
        while self.keys[slot] and self.keys[slot] != key:
            slot = (slot + 1) & self.last
        return slot


cdef Number hash_word(str word) except? 0:
    """The key of a word."""
    cdef Number key = START
    cdef Py_UCS4 sign
    for sign in word:
        key = add_letter(key, <Number> sign)
    return key


cdef Number add_letter(Number key, Number letter) noexcept:
    """The key of a word with one letter more."""
    return (key ^ letter) * PRIME


cdef Number to_lower(Py_UCS4 sign) noexcept:
    """The code of a letter; ASCII capitals become small."""
    return <Number> sign + 32 if u"A" <= sign <= u"Z" else <Number> sign


def fill_names(
    WordRows rows, float[:, ::1] out, Words words, list attrs, const int[::1] named_rows,
    const int[::1] called, const int[::1] parent, const int[::1] first, const int[:, ::1] bottom,
    const int[:, ::1] top, int[::1] found, int[:, ::1] ends,
):
    """Fills the columns of the names of elements around a segment: sum, worst and best effect of
    all names, the sum for each container, and weights.

    `named_rows` are the rows with attributes, `called` their places in `attrs`. `found` gets the
    rows of the known words of all attributes. `ends` gets, for each entry of `attrs`, where its
    words end in `found` and how many words it has, known or not.
    """
    cdef NameValues own = NameValues(len(attrs)), down = NameValues(parent.shape[0])
    cdef Py_ssize_t i, row, level, above
    value_attributes(own, attrs, words, found, ends)
    inherit_names(down, own, parent, named_rows, called)
    for i in range(first.shape[0]):
        row = first[i]
        out[rows.names_sum, i] = down.sum[row]
        out[rows.names_worst, i], out[rows.names_best, i] = down.worst[row], down.best[row]
        out[rows.weight_names, i] = down.weight_around[row]
        out[rows.weight_own_names, i] = down.weight_own[row]
        for level in range(top.shape[0]):
            above = parent[top[level, i]]
            out[rows.names_of_container[level], i] = down.sum[bottom[level, i]] - (
                down.sum[above] if above >= 0 else 0.0
            )


cdef class NameValues:
    """The values of names: in each set of attributes, or on all elements around each row."""

    cdef double[::1] sum, worst, best, weight_around, weight_own
    cdef int[::1] count

    def __init__(self, size):
        self.sum, self.worst, self.best, self.weight_around, self.weight_own = np.zeros((5, size))
        self.count = np.zeros(size, dtype=np.int32)


cdef int value_attributes(
    NameValues own, list attrs, Words words, int[::1] found, int[:, ::1] ends,
) except -1:
    """Adds up the values of the names in each set of attributes, and lists the known names."""
    cdef Names names = Names(attrs)
    cdef Py_ssize_t i, word, row, known = 0
    cdef double effect
    for i in range(len(attrs)):
        own.count[i] = names.split_attributes(attrs[i])
        for word in range(own.count[i]):
            row = words.find_name(names.letters, names.spans[2 * word], names.spans[2 * word + 1])
            if row:
                effect = words.values[row, EFFECT]
                own.worst[i], own.best[i] = min(own.worst[i], effect), max(own.best[i], effect)
                own.weight_around[i] += words.values[row, AROUND]
                own.weight_own[i] += words.values[row, OWN]
                if known < found.shape[0]:
                    found[known] = row
                    known += 1
        ends[0, i], ends[1, i] = known, own.count[i]
        own.sum[i] = own.worst[i] + own.best[i]
    return 0


cdef int inherit_names(
    NameValues down, NameValues own, const int[::1] parent, const int[::1] named_rows,
    const int[::1] called,
) except -1:
    """Adds up the values of names from the root down to each row; the own weight is that of the
    innermost element that has a name."""
    cdef Py_ssize_t at = 0, row, above, number
    for row in range(parent.shape[0]):
        above = parent[row]
        if above >= 0:
            down.sum[row] = down.sum[above]
            down.worst[row], down.best[row] = down.worst[above], down.best[above]
            down.weight_around[row] = down.weight_around[above]
            down.weight_own[row] = down.weight_own[above]
        if at < named_rows.shape[0] and named_rows[at] == row:
            number = called[at]
            down.sum[row] += own.sum[number]
            down.worst[row] = min(down.worst[row], own.worst[number])
            down.best[row] = max(down.best[row], own.best[number])
            if own.count[number]:
                down.weight_around[row] += own.weight_around[number]
                down.weight_own[row] = own.weight_own[number]
            at += 1
    return 0


def names_in(str raw):
    """The words in the names of an element, from its attributes.

    >>> names_in(' id="main" href="/x" class="article-body c4"')
    ['main', 'article', 'body']
    """
    cdef Names names = Names([raw])
    return names.cut(raw, names.split_attributes(raw))


def name_words(str name):
    """The words of a class or id in lower case: runs of small letters, each with a capital that may
    come before it, and runs of capitals.

    >>> name_words("article-body mainText c4 HTMLBox")
    ['article', 'body', 'main', 'text', 'html', 'box']
    """
    cdef Names names = Names([name])
    names.read(name)
    return names.cut(name, names.split_name(0, len(name), 0))


cdef class Names:
    """A reader of one text at a time, and where the words of that text begin and end."""

    cdef int[::1] spans
    cdef unsigned char[::1] copy
    cdef Letters letters  # those beyond ASCII only take up their place

    def __cinit__(self, list texts):
        cdef Py_ssize_t longest = longest_text(texts)
        self.spans = make_spans(longest)
        self.copy = np.empty(longest + 1, dtype=np.uint8)

    cdef int read(self, str text) except -1:
        """Takes the next text."""
        cdef Py_ssize_t i
        if PyUnicode_KIND(text) == 1:
            self.letters = <Letters> PyUnicode_DATA(text)
            return 0
        for i in range(len(text)):
            self.copy[i] = <unsigned char> min(ord(text[i]), 0x80)
        self.letters = &self.copy[0]
        return 0

    cdef list cut(self, str text, Py_ssize_t count):
        """The words of a text in lower case."""
        return [text[self.spans[2 * i] : self.spans[2 * i + 1]].lower() for i in range(count)]

    cdef Py_ssize_t split_attributes(self, str raw) except -1:
        """Fills in where the words in the names of an element begin and end; returns how many there
        are."""
        self.read(raw)
        cdef Letters letters = self.letters
        cdef Py_ssize_t count = 0, at = 0, size = len(raw), start, end
        while True:
            at = find_letter(letters, at, size, c"=") + 1
            if at >= size:
                return count
            if letters[at] != c'"':
                continue
            start = at - 1
            while start and letters[start - 1] != c" ":
                start -= 1
            at += 1  # if a quote is missing, a value runs into the next attribute
            if is_naming(letters + start, at - 2 - start):
                end = find_letter(letters, at, size, c'"')
                if end == size:
                    return count
                count = self.split_name(at, end, count)
                at = end + 1

    cdef Py_ssize_t split_name(self, Py_ssize_t at, Py_ssize_t size, Py_ssize_t count) noexcept:
        """Adds the words of a name to the spans; returns how many words there are now."""
        cdef Letters name = self.letters
        cdef Py_ssize_t start
        cdef bint capital
        while at < size:
            start = at
            capital = c"A" <= name[at] <= c"Z"
            at += 1
            if not (capital or c"a" <= name[start] <= c"z"):
                continue
            while at < size and c"a" <= name[at] <= c"z":
                at += 1
            if capital and at - start == 1:
                while at < size and c"A" <= name[at] <= c"Z":
                    at += 1
                if at < size and c"a" <= name[at] <= c"z":  # the last capital begins the next word
                    at -= 1
            if at - start > 1:
                self.spans[2 * count], self.spans[2 * count + 1] = <int> start, <int> at
                count += 1
        return count


cdef Py_ssize_t find_letter(Letters text, Py_ssize_t at, Py_ssize_t size, int letter) noexcept:
    """Where a letter is next, from a place on; `size` if nowhere."""
    cdef const void *found = memchr(text + at, letter, size - at) if at < size else NULL
    return <Letters> found - text if found != NULL else size


cdef Py_ssize_t longest_text(list texts) except -1:
    """The length of the longest text."""
    cdef Py_ssize_t longest = 0, i
    for i in range(len(texts)):
        longest = max(longest, len(<str> texts[i]))
    return longest


cdef int[::1] make_spans(Py_ssize_t longest):
    """Space for where the words of a text of at most this length begin and end."""
    return np.empty(2 * longest + 2, dtype=np.int32)


def fill_texts(
    WordRows rows, float[:, ::1] out, Words words, WordSet title, double title_words, list texts,
    const int[::1] lengths, const unsigned char[::1] tag, const int[::1] block,
    const int[::1] low, const int[:, ::1] top, int[::1] found, int[:, ::1] ends,
):
    """Fills the columns of the words of a text, of the headings above it and of the first lines of
    its containers, and how much the text shares with the page's title. Call `fill_names` before.

    `lengths` has the number of words of each text, `title_words` that of the title. `found` gets
    the rows of the known words of all texts. `ends` gets, for each text, where its words end in
    `found`, and the row of the text as a label.
    """
    cdef Texts work = Texts(rows, out, len(texts))
    work.fill_own(words, title, title_words, texts, lengths, found, ends)
    work.fill_headings(tag, block)
    work.fill_first_lines(low, top)
    work.fill_weights(tag, block, low, top)


cdef class Texts:
    """The table, and the weights of each text as a text, as a heading and as a first line."""

    cdef WordRows at
    cdef float[:, ::1] out
    cdef Py_ssize_t size
    cdef float[::1] in_text, in_heading, in_first_line

    def __init__(self, WordRows rows, float[:, ::1] out, size):
        self.at, self.out, self.size = rows, out, size
        self.in_text, self.in_heading, self.in_first_line = np.zeros((3, size), dtype=np.float32)

    cdef int fill_own(
        self, Words words, WordSet title, double title_words, list texts, const int[::1] lengths,
        int[::1] found, int[:, ::1] ends,
    ) except -1:
        """The effect of the text as a label, of its worst and best word, and of its mean word; how
        much of the text is in the title, and how much of the title is in the text."""
        cdef float[:, ::1] out = self.out
        cdef float[:, ::1] values = words.values
        cdef WordRows at = self.at
        cdef int[::1] spans = np.empty(8 * BEGINNING, dtype=np.int32)  # lower() may lengthen
        cdef Number[::1] keys = np.empty(4 * BEGINNING, dtype=np.uint64)
        cdef Py_ssize_t i, count, word, row, known = 0
        cdef double worst, best, total, common, value
        cdef bint short
        cdef str line
        for i in range(self.size):
            line, short = beginning(texts[i]), lengths[i] <= MOST_LABEL_WORDS
            count = split_text(line, short, spans, keys)
            ends[0, i], ends[1, i] = known, 0
            if short:
                row = words.find_label(line, spans, count)
                ends[1, i] = row
                out[at.text_effect, i] = values[row, EFFECT]
                self.in_text[i], self.in_heading[i] = values[row, IN_TEXT], values[row, IN_HEADING]
                self.in_first_line[i] = values[row, IN_FIRST_LINE]
            if not count:
                continue
            worst, best, total, common = 1e9, -1e9, 0.0, 0.0
            for word in range(count):
                row = words.find(keys[word])
                value = values[row, EFFECT]
                worst, best, total = min(worst, value), max(best, value), total + value
                if row:
                    self.in_text[i] += values[row, IN_TEXT]
                    self.in_heading[i] += values[row, IN_HEADING]
                    if known < found.shape[0]:
                        found[known] = row
                        known += 1
                if short:  # the marked words of longer texts are in no title
                    common += title.has(keys[word])
            out[at.worst_word, i], out[at.best_word, i] = worst, best
            out[at.mean_word, i] = total / count
            out[at.title_overlap, i] = common / count
            out[at.title_coverage, i] = common / title_words
            ends[0, i] = known
        return 0

    cdef int fill_headings(self, const unsigned char[::1] tag, const int[::1] block) except -1:
        """The effects of the headings above a segment: "Related stories" speaks of all below."""
        cdef float[:, ::1] out = self.out
        cdef WordRows at = self.at
        cdef Py_ssize_t heading = -1, main = -1, i
        for i in range(self.size):
            out[at.since_heading, i] = log1p(i - heading)
            out[at.since_main_heading, i] = log1p(i - main)
            if heading >= 0:
                out[at.heading_effect, i] = out[at.text_effect, heading]
                out[at.heading_mean_word, i] = out[at.mean_word, heading]
                out[at.heading_tag, i] = tag[block[heading]]
            if main >= 0:
                out[at.main_heading_effect, i] = out[at.text_effect, main]
                out[at.main_heading_mean_word, i] = out[at.mean_word, main]
            if IS_HEADING[tag[block[i]]]:
                heading = i
            if IS_MAIN_HEADING[tag[block[i]]]:
                main = i
        return 0

    cdef int fill_first_lines(self, const int[::1] low, const int[:, ::1] top) except -1:
        """The effects of the first line of each container around a segment."""
        cdef float[:, ::1] out = self.out
        cdef WordRows at = self.at
        cdef Py_ssize_t level, effect, mean, i, first
        for level in range(at.first_line_effect.shape[0]):
            effect, mean = at.first_line_effect[level], at.first_line_mean_word[level]
            for i in range(self.size):
                first = low[top[level + 1, i]]
                out[effect, i] = out[at.text_effect, first]
                out[mean, i] = out[at.mean_word, first]
        return 0

    cdef int fill_weights(
        self, const unsigned char[::1] tag, const int[::1] block, const int[::1] low,
        const int[:, ::1] top,
    ) except -1:
        """The weights of the text, the heading above and the first lines, and their sum with those
        of the names."""
        cdef float[:, ::1] out = self.out
        cdef WordRows at = self.at
        cdef Py_ssize_t heading = -1, i, level, first
        for i in range(self.size):
            out[at.weight_text, i] = self.in_text[i]
            if heading >= 0:
                out[at.weight_heading, i] = self.in_heading[heading]
            for level in range(1, at.first_line_effect.shape[0] + 1):
                first = low[top[level, i]]
                if first != i:
                    out[at.weight_first_lines, i] += self.in_first_line[first]
            out[at.weight_sum, i] = (
                out[at.weight_names, i] + out[at.weight_own_names, i] + out[at.weight_text, i]
                + out[at.weight_heading, i] + out[at.weight_first_lines, i]
            )
            if IS_HEADING[tag[block[i]]]:
                heading = i
        return 0


cdef str beginning(str text):
    """The beginning of a text in lower case. A short text of ASCII stays as it is, because its
    letters become small when they are read."""
    if len(text) <= BEGINNING and text.isascii():
        return text
    return text[:BEGINNING].lower()


cdef Py_ssize_t split_text(str text, bint short, int[::1] spans, Number[::1] keys) except -1:
    """Fills in where the words begin and end, and their keys; returns how many there are. A word is
    a run of letters, digits and underscores. In a short text, a number is an empty span."""
    cdef Py_ssize_t count = 0, start = 0, stop = len(text), at
    cdef Number begin = START if short else add_letter(START, ord(u"~")), key = begin
    cdef bint figures
    for at in range(stop + 1):
        if at < stop and is_letter(text[at]):
            key = add_letter(key, to_lower(text[at]))
            continue
        if start < at:
            figures = short and is_number(text, start, at)
            spans[2 * count] = start
            spans[2 * count + 1] = start if figures else at
            keys[count] = add_letter(START, ord(u"0")) if figures else key
            count += 1
            key = begin
        start = at + 1
    return count


cdef bint is_letter(Py_UCS4 sign) noexcept:
    """Whether a character belongs to a word."""
    if ord(sign) < 0x80:
        return (
            u"a" <= sign <= u"z" or u"A" <= sign <= u"Z" or u"0" <= sign <= u"9" or sign == u"_"
        )
    return sign.isalnum()


cdef bint is_number(str text, Py_ssize_t start, Py_ssize_t stop) except -1:
    """Whether text[start:stop] consists of digits."""
    while start < stop and text[start].isdigit():
        start += 1
    return start == stop


def split_line(str text, Py_ssize_t length):
    """A text as the vocabulary has it: its label (empty if it has too many words), and its words.
    All numbers are one word, and the words of texts longer than a label are marked. `length` is the
    number of words.

    >>> split_line("12 Comments", 2)
    ('=0 comments', ['0', 'comments'])
    """
    cdef str line = beginning(text)
    cdef bint short = length <= MOST_LABEL_WORDS
    cdef int[::1] spans = make_spans(len(line))
    cdef Py_ssize_t count = split_text(line, short, spans, np.empty(len(line) + 1, dtype=np.uint64))
    words = [line[spans[2 * i] : spans[2 * i + 1]].lower() or "0" for i in range(count)]
    if short:
        return "=" + " ".join(words)[:LABEL], words
    return "", ["~" + word for word in words]
