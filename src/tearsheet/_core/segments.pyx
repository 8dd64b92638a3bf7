# cython: boundscheck=False, wraparound=False
"""The loops over rows and characters that make segments: what is visible, lines, words, spaces.

`tearsheet.segments` and `tearsheet.page.spaces` say what they are for.
"""

from tearsheet import tags

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const unsigned char *PyUnicode_DATA(object text)

cdef extern from *:
    """
    #include <stddef.h>

    /* Whether a line is of ASCII, with no white space but single spaces; it begins with none. */
    static int is_plain_line(const unsigned char *line, ptrdiff_t size) {
        unsigned char found = 0;
        if (size && line[0] <= ' ') return 0;
        for (ptrdiff_t i = 1; i < size; i++)
            found |= (line[i] < ' ') | (line[i] >= 0x7F) | ((line[i] == ' ') & (line[i - 1] == ' '));
        return !found && (!size || line[0] < 0x7F);
    }
    """
    bint is_plain_line(const unsigned char *line, Py_ssize_t size) noexcept nogil

cdef int TEXT = tags.TEXT

# What is known of a row, a bit each.
WRITTEN, SHOWN, APART, LINKED = 1, 2, 4, 8
cdef enum:
    _WRITTEN = 1  # a text that is not blank
    _SHOWN = 2  # a reader sees it
    _APART = 4  # it stands in a control or a script
    _LINKED = 8  # it stands in a link

# What a tag says of the rows within it.
UNSEEN, LINK, BLOCK = 1, 2, 4
cdef enum:
    _UNSEEN = 1
    _LINK = 2
    _BLOCK = 4


def mark_rows(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] end, list text,
    const unsigned char[::1] meaning, int written, unsigned char[::1] known, int[::1] block,
):
    """Marks text rows that are not blank with `written`, or as apart, and those in links; and gives
    each row the closest element, itself included, that breaks lines."""
    cdef Py_ssize_t row
    cdef int code, bits
    cdef int apart = 0, linked = 0  # the first rows behind what is unseen, and behind the link
    for row in range(tag.shape[0]):
        code = tag[row]
        if code == TEXT:
            block[row] = block[parent[row]] if parent[row] >= 0 else <int> row
            if row < apart:
                known[row] = _APART
            elif not is_blank(<str> text[row]):
                known[row] = written | _LINKED if row < linked else written
            continue
        bits = meaning[code]
        block[row] = <int> row if bits & _BLOCK or parent[row] < 0 else block[parent[row]]
        if bits & _UNSEEN and end[row] > apart:
            apart = end[row]
        if bits & _LINK and end[row] > linked:
            linked = end[row]


cdef bint is_blank(str text) except -1:
    """Whether a text consists of white space, at least one character of it."""
    cdef Py_UCS4 sign
    for sign in text:  # the first settles most
        if not sign.isspace():
            return False
    return bool(text)


def hide_rows(
    const int[::1] attrs_at, const int[::1] end, const unsigned char[::1] hides,
    unsigned char[::1] known,
):
    """Takes the mark of what is shown from rows within elements that hide them.

    A page that hides most of itself waits for a script to show it: then all rows stay shown.
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
    """Appends the wanted text of each line, white space folded, to `text`.

    `ints` gets its first and last row, block, length, length of links and words; `unseen` whether it
    is hidden at first.
    """
    cdef Py_ssize_t at = 0, size = len(rows), begin, stop, count
    cdef int length
    cdef str line
    while at < size:
        if not known[at] & wanted:
            at += 1
            continue
        begin = stop = at
        length = 0
        while at < size and breaks[at] == breaks[begin]:
            if known[at] & wanted:
                stop = at
                if known[at] & _LINKED:
                    length += len((<str> rows[at]).strip())
            at += 1
        line = join_line(rows, known, begin, stop).strip()
        if not is_folded(line):
            line = " ".join(line.split())
        if line:
            count = len(text)
            ints[0, count], ints[1, count], ints[2, count] = <int> begin, <int> stop, block[begin]
            ints[3, count], ints[4, count] = <int> len(line), min(length, <int> len(line))
            ints[5, count] = count_folded(line)
            unseen[count] = not known[begin] & _SHOWN
            text.append(line)


cdef str join_line(list rows, const unsigned char[::1] known, Py_ssize_t begin, Py_ssize_t stop):
    """The text from one row to another, without what stands apart."""
    if begin == stop:
        return rows[begin]
    cdef Py_ssize_t row
    return "".join([rows[row] for row in range(begin, stop + 1) if not known[row] & _APART])


cdef bint is_folded(str line) except -1:
    """Whether only single spaces stand between words."""
    if PyUnicode_KIND(line) == 1 and is_plain_line(PyUnicode_DATA(line), len(line)):
        return True
    cdef Py_UCS4 sign, before = u" "
    for sign in line:
        if sign == u" ":
            if before == u" ":
                return False
        elif u" " < sign < u"\x7f":  # most are
            pass
        elif sign.isspace():
            return False
        before = sign
    return True


def count_words(str text):
    """How many words a text has: those between white space, and half a word for each character of
    Chinese, Japanese, Thai and other scripts that set no spaces."""
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


cdef int count_folded(str line) except -1:
    """`count_words` for a line with single spaces between its words."""
    cdef int words = line.count(" ") + 1
    return words if line.isascii() else words + count_unspaced(line) // 2


cdef int count_unspaced(str text) except -1:
    """How many characters are of scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""
    cdef Py_UCS4 sign
    cdef int count = 0
    for sign in text:
        if sign >= 0x0E00 and (
            sign <= 0x0EFF
            or 0x1000 <= sign <= 0x109F
            or 0x1780 <= sign <= 0x17FF
            or 0x3040 <= sign <= 0x30FF
            or 0x3400 <= sign <= 0x9FFF
        ):
            count += 1
    return count


def add_spaces(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] end,
    const int[::1] breaks, list text, const unsigned char[::1] verbatim,
):
    """Adds a space to each text that ends where the next element's text begins a new word."""
    cdef int row, before = -1, until = 0  # the last text; the first row behind what is verbatim
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
    """Whether the second text begins a new word. A single character before it may be an initial."""
    if len(left) < 2 or not right:
        return False
    cdef Py_UCS4 last = left[len(left) - 1], first = right[0]
    if not (first.isupper() or first.isdigit()):
        return False
    if last.islower() or last.isupper() or last.isdigit():
        return True
    return first.isupper() and last in u".:;!?)%"
