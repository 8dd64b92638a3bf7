# cython: boundscheck=False, wraparound=False
"""The loops over rows and characters that make segments: what is visible, lines, words, spaces.

`tearsheet.segments` and `tearsheet.page.spaces` say what they are for.
"""

from tearsheet import tags

from cpython.mem cimport PyMem_Free, PyMem_Realloc

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const void *PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void *data, Py_ssize_t at) noexcept
    str PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t size)

cdef int TEXT = tags.TEXT

# What is known about a row, a bit each.
WRITTEN, SHOWN, APART, LINKED = 1, 2, 4, 8
cdef enum:
    _WRITTEN = 1  # a text that is not blank
    _SHOWN = 2  # a reader sees it
    _APART = 4  # it is in a control or a script
    _LINKED = 8  # it is in a link

# What a tag says about the rows within it.
UNSEEN, LINK, BLOCK = 1, 2, 4
cdef enum:
    _UNSEEN = 1
    _LINK = 2
    _BLOCK = 4


def mark_rows(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] end, list text,
    const unsigned char[::1] meaning, int written, unsigned char[::1] known, int[::1] block,
):
    """Marks text rows: as apart if they are in a control or a script; else, if they are not blank,
    with `written` and whether they are in a link. `block` gets, for each row, the closest element,
    itself included, that breaks lines."""
    cdef Py_ssize_t row
    cdef int code, bits
    cdef int apart = 0, linked = 0  # the first rows after what is unseen, and after the link
    cdef str blank = None  # the last blank text: most are the same few line breaks
    for row in range(tag.shape[0]):
        code = tag[row]
        if code == TEXT:
            block[row] = block[parent[row]] if parent[row] >= 0 else <int> row
            if row < apart:
                known[row] = _APART
            elif text[row] is blank or is_blank(<str> text[row]):
                blank = text[row]
            else:
                known[row] = written | _LINKED if row < linked else written
            continue
        bits = meaning[code]
        block[row] = <int> row if bits & _BLOCK or parent[row] < 0 else block[parent[row]]
        if bits & _UNSEEN and end[row] > apart:
            apart = end[row]
        if bits & _LINK and end[row] > linked:
            linked = end[row]


cdef bint is_blank(str text) except -1:
    """Whether a text is not empty, and all of it is white space and joiners."""
    cdef Py_UCS4 sign
    for sign in text:  # most texts are settled by the first
        if not sign.isspace() and sign != 0x200C and sign != 0x200D:
            return False
    return bool(text)


def hide_rows(
    const int[::1] attrs_at, const int[::1] end, const unsigned char[::1] hides,
    unsigned char[::1] known,
):
    """Removes the mark `SHOWN` from rows in elements that hide them.

    A page that hides most of itself waits for a script to show it; there all rows stay shown.
    """
    cdef list hidden = []
    cdef Py_ssize_t row, shown = 0
    cdef int until = 0
    for row in range(known.shape[0]):
        if hides[attrs_at[row]] and end[row] > until:
            until = end[row]
        if known[row] & _SHOWN:
            shown += 1
            if row < until:
                hidden.append(row)
    if 2 * (shown - len(hidden)) >= shown:
        for row in hidden:
            known[row] &= ~_SHOWN


def gather_lines(
    list rows, const int[::1] breaks, const unsigned char[::1] known, const int[::1] block,
    int wanted, list text, int[:, ::1] ints, unsigned char[::1] unseen,
):
    """Appends the wanted text of each line to `text`, with white space folded.

    For each line, `ints` gets the first and last row, the block, the length, the length of links
    and the number of words; `unseen` gets whether it is hidden at first.
    """
    cdef Py_ssize_t at = 0, size = len(rows), begin, stop, count, row
    cdef int linked
    cdef Line line = Line()
    while at < size:
        if not known[at] & wanted:
            at += 1
            continue
        begin = stop = at
        linked = 0
        while at < size and breaks[at] == breaks[begin]:
            if known[at] & wanted:
                stop = at
                if known[at] & _LINKED:
                    linked += count_stripped(<str> rows[at])
            at += 1
        line.clear()
        for row in range(begin, stop + 1):
            if not known[row] & _APART:
                line.add(<str> rows[row])
        if line.size:
            count = len(text)
            ints[0, count], ints[1, count], ints[2, count] = <int> begin, <int> stop, block[begin]
            ints[3, count], ints[4, count] = <int> line.size, min(linked, <int> line.size)
            ints[5, count] = line.words + line.unspaced // 2
            unseen[count] = not known[begin] & _SHOWN
            text.append(line.make(<str> rows[begin] if begin == stop else ""))


cdef class Line:
    """The text of a line while it grows: white space is folded, and dropped at both ends."""

    cdef Py_UCS4 *letters
    cdef Py_ssize_t size, room
    cdef int words, unspaced  # as `count_words` counts them
    cdef bint spaced  # white space comes next
    cdef bint changed  # some white space was not a plain space

    def __dealloc__(self):
        PyMem_Free(self.letters)

    cdef void clear(self) noexcept:
        """Begins a new line."""
        self.size = self.words = self.unspaced = 0
        self.spaced = self.changed = False

    cdef int add(self, str text) except -1:
        """Adds a text to the line."""
        cdef Py_ssize_t i, count = len(text), size = self.size
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *data = PyUnicode_DATA(text)
        cdef Py_UCS4 sign
        if 2 * (size + count) >= self.room:  # a space may stand before each letter
            self.room = 2 * (size + count) + 1024
            self.letters = <Py_UCS4 *> PyMem_Realloc(self.letters, self.room * sizeof(Py_UCS4))
            if self.letters == NULL:
                raise MemoryError
        for i in range(count):
            sign = PyUnicode_READ(kind, data, i)
            if is_space(sign):
                self.spaced = True
                self.changed |= sign != c" "
                continue
            if self.spaced or not size:
                if size:
                    self.letters[size] = c" "
                    size += 1
                self.spaced = False
                self.words += 1
            self.letters[size] = sign
            size += 1
            self.unspaced += is_unspaced(sign)
        self.size = size
        return 0

    cdef str make(self, str whole):
        """The text of the line; `whole` itself if that is the same."""
        if len(whole) == self.size and not self.changed:
            return whole
        return PyUnicode_FromKindAndData(4, self.letters, self.size)


cdef bint is_space(Py_UCS4 sign) noexcept:
    """Whether a character is white space."""
    return not c" " < sign < 0x7F and sign.isspace()  # most are letters of ASCII


cdef int count_stripped(str text) noexcept:
    """The length of a text without white space at both ends."""
    cdef Py_ssize_t start = 0, stop = len(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    while start < stop and is_space(PyUnicode_READ(kind, data, start)):
        start += 1
    while start < stop and is_space(PyUnicode_READ(kind, data, stop - 1)):
        stop -= 1
    return <int> (stop - start)


def count_words(str text):
    """How many words a text has. White space parts words; besides, every second character of a
    script without spaces, such as Chinese, Japanese or Thai, counts as a word."""
    cdef Py_UCS4 sign
    cdef Py_ssize_t words = 0
    cdef bint in_word = False
    for sign in text:
        if sign.isspace():
            in_word = False
        elif not in_word:
            in_word = True
            words += 1
    return words + (0 if text.isascii() else count_unspaced(text) // 2)


cdef int count_unspaced(str text) except -1:
    """How many characters of a text are of scripts without spaces."""
    cdef Py_UCS4 sign
    cdef int count = 0
    for sign in text:
        count += is_unspaced(sign)
    return count


cdef bint is_unspaced(Py_UCS4 sign) noexcept:
    """Whether a character is of a script without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""
    return sign >= 0x0E00 and (
        sign <= 0x0EFF
        or 0x1000 <= sign <= 0x109F
        or 0x1780 <= sign <= 0x17FF
        or 0x3040 <= sign <= 0x30FF
        or 0x3400 <= sign <= 0x9FFF
    )


def add_spaces(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] end,
    const int[::1] breaks, list text, const unsigned char[::1] verbatim,
):
    """Adds a space to each text if the text of the next element begins a new word."""
    cdef int row, before = -1, until = 0  # the last text; the first row after verbatim text
    for row in range(<int> tag.shape[0]):
        if tag[row] != TEXT:
            if verbatim[tag[row]] and end[row] > until:
                until = end[row]
        elif row < until:
            before = -1
        else:
            if (
                before >= 0
                and breaks[row] == breaks[before]
                and parent[row] > before  # each in an element that does not hold the other
                and end[parent[before]] <= row
                and is_apart(<str> text[before], <str> text[row])
            ):
                text[before] = <str> text[before] + " "
            before = row


cdef bint is_apart(str left, str right) except -1:
    """Whether the second text begins a new word; not after one character: it may be an initial."""
    if len(left) < 2 or not right:
        return False
    cdef Py_UCS4 last = left[len(left) - 1], first = right[0]
    if not (first.isupper() or first.isdigit()):
        return False
    if last.islower() or last.isupper() or last.isdigit():
        return True
    return first.isupper() and last in u".:;!?)%"
