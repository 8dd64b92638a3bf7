# cython: wraparound=False
"""Loops over the rows of a page: which elements hold which segments, which elements are alike, and
which are page chrome.

Rows are in document order, parents before their children, so each loop is one pass down the page.
"""

from tearsheet.tags import CODES, NAMES

ctypedef unsigned long long Number

cdef int DIVISION = CODES["div"]
cdef int H1 = CODES["h1"]
cdef int TAGS = len(NAMES)


def nest(
    const int[::1] first, const int[::1] parent, const int[::1] end,
    int[::1] begun, int[::1] high, int[::1] top,
):
    """Fills in, for each row, how many segments begin before it (`begun`) and before its end
    (`high`), and the outermost element that holds the same segments (`top`)."""
    cdef Py_ssize_t rows = end.shape[0], size = first.shape[0], at = 0, row, above
    for row in range(rows):
        while at < size and first[at] < row:
            at += 1
        begun[row] = at
    begun[rows] = size
    for row in range(rows):
        above = parent[row]
        high[row] = begun[end[row]]
        top[row] = row
        if above >= 0 and high[row] - begun[row] == high[above] - begun[above]:
            top[row] = top[above]


def climb(
    const int[::1] block, const int[::1] parent, const int[::1] top, const unsigned char[::1] tag,
    const int[::1] attrs_at, int[:, ::1] tops, int[:, ::1] bottoms, int[:, ::1] number,
    int[::1] each, int[::1] numbers,
):
    """Climbs from the block of each segment to the containers around it, a level each, and numbers
    the different containers; returns how many there are.

    `numbers` must be -1 and gets the number of each row that is a container. A division without
    attributes that holds the same text as the element around it is skipped.
    """
    cdef Py_ssize_t different = 0, i, row, level
    for i in range(block.shape[0]):
        row = block[i]
        for level in range(tops.shape[0]):
            while tag[row] == DIVISION and top[row] != row and not attrs_at[row]:
                row = parent[row]
            bottoms[level, i] = row
            row = top[row]
            tops[level, i] = row
            if numbers[row] < 0:
                numbers[row] = different
                each[different] = row
                different += 1
            number[level, i] = numbers[row]
            if parent[row] >= 0:
                row = parent[row]
    return different


def number_attributes(
    list all_attrs, const int[::1] attrs_at, const int[::1] begun, const int[::1] high,
    int[::1] rows, int[::1] called, int[::1] classes, int[::1] attrs_number, int[::1] class_of,
):
    """Lists the rows that hold segments and have attributes, with the numbers of their attributes
    and of their class (0: none); returns the different attributes and the number of rows.

    `attrs_number`, which must be -1, and `class_of` get both numbers of each set of attributes.
    """
    cdef list found = []
    cdef dict numbers = {0: 0}
    cdef Py_ssize_t count = 0, row, at
    for row in range(high.shape[0]):
        at = attrs_at[row]
        if begun[row] == high[row] or not at:
            continue
        if attrs_number[at] < 0:
            attrs_number[at] = len(found)
            found.append(all_attrs[at])
            class_of[at] = numbers.setdefault(class_number(all_attrs[at]), len(numbers))
        rows[count] = row
        called[count] = attrs_number[at]
        classes[count] = class_of[at]
        count += 1
    return found, count


cpdef Number class_number(str raw) except? 1:
    """A number for the class in serialised attributes, without its digits; 0 if there is none."""
    cdef Py_ssize_t start = raw.find(' class="'), at = start + 8
    cdef Py_ssize_t stop = len(raw) if start >= 0 else 0
    cdef Number number = 0
    cdef Py_UCS4 sign
    while at < stop:
        sign = raw[at]
        if sign == u'"':
            break
        if not u"0" <= sign <= u"9":
            number = number * 1_000_003 + <Number> sign
        at += 1
    return number


def number_kinds(const int[::1] rows, const int[::1] classes, int[::1] kind):
    """Replaces the tag in `kind` by a number for tag and class in each row that has a class;
    returns how many numbers there are."""
    cdef dict numbers = {}
    cdef Py_ssize_t i, row
    for i in range(rows.shape[0]):
        if classes[i]:
            row = rows[i]
            key = <Py_ssize_t> classes[i] * TAGS + kind[row]
            kind[row] = TAGS + <int> numbers.setdefault(key, len(numbers))
    return TAGS + len(numbers)


def number_families(
    const int[::1] end, const int[::1] kind, int[::1] seen, int[::1] given, int[::1] family,
):
    """Numbers the rows by parent and kind; returns how many numbers there are.

    `seen`, which must be -2, and `given` get the last parent of each kind and its number there.
    """
    cdef Py_ssize_t rows = end.shape[0], families = 0, parent, child, stop, own
    for parent in range(-1, rows):
        child = parent + 1
        stop = rows if parent < 0 else end[parent]
        while child < stop:
            own = kind[child]
            if seen[own] != parent:
                seen[own] = parent
                given[own] = families
                families += 1
            family[child] = given[own]
            child = end[child]
    return families


def number_copies(list texts, int[::1] copy, int[::1] copies_before):
    """Fills in a number for each text, equal for equal texts, and how many equals precede it."""
    cdef dict numbers = {}
    cdef list seen = []
    cdef Py_ssize_t i, number
    for i in range(len(texts)):
        number = numbers.setdefault(texts[i], len(seen))
        if number == len(seen):
            seen.append(0)
        copy[i] = number
        copies_before[i] = seen[number]
        seen[number] += 1


cdef enum TagFlag:
    """What a tag means for page chrome, a bit each."""
    CHROME = 1  # chrome wherever it stands
    CHROME_OUTSIDE = 2  # chrome outside the text
    UNLESS_TITLED = 4  # not if it holds the page's heading
    TEXT_PART = 8  # part of the text
    WHOLE = 16  # the page itself

FLAGS = {
    "chrome": CHROME, "chrome_outside": CHROME_OUTSIDE, "unless_titled": UNLESS_TITLED,
    "text_part": TEXT_PART, "whole": WHOLE,
}


def mark_chrome(
    const unsigned char[::1] tag, const int[::1] end, const unsigned char[::1] called,
    const int[::1] first, const int[::1] words, const unsigned char[::1] flags, int enough,
    int[::1] words_before, int[::1] headings_before, unsigned char[::1] stays,
):
    """Marks the rows of page chrome with 0 in `stays`; returns how many elements of it there are.

    An element is chrome only if half of the page's words, or `enough` of them, are elsewhere.
    `words_before` and `headings_before` are scratch space, one entry longer than the page.
    """
    cdef Py_ssize_t rows = tag.shape[0], row = 0, part = 0, stop
    cdef int found = 0, bits, held, whole
    count_words_and_headings(tag, first, words, words_before, headings_before)
    whole = words_before[rows]
    while row < rows:
        bits, stop = flags[tag[row]], end[row]
        if (
            (bits & CHROME or ((called[row] or bits & CHROME_OUTSIDE) and row >= part))
            and not bits & WHOLE
            and not (bits & UNLESS_TITLED and headings_before[stop] > headings_before[row])
        ):
            held = words_before[stop] - words_before[row]
            if 2 * held <= whole or whole - held >= enough:
                found += 1
                while row < stop:
                    stays[row] = 0
                    row += 1
                continue
        if bits & TEXT_PART and stop > part:
            part = stop
        row += 1
    return found


cdef int count_words_and_headings(
    const unsigned char[::1] tag, const int[::1] first, const int[::1] words,
    int[::1] words_before, int[::1] headings_before,
) except -1:
    """Fills in how many words and how many `<h1>` are before each row; the last entry has all."""
    cdef Py_ssize_t rows = tag.shape[0], size = first.shape[0], at = 0, row
    cdef int counted = 0, headings = 0
    for row in range(rows):
        words_before[row], headings_before[row] = counted, headings
        headings += tag[row] == H1
        if at < size and first[at] == row:
            counted += words[at]
            at += 1
    words_before[rows], headings_before[rows] = counted, headings
    return 0


def take_rows(
    const unsigned char[::1] stays, const unsigned char[::1] tag, const int[::1] parent,
    const int[::1] end, const int[::1] depth, const int[::1] attrs_at, const int[::1] breaks,
    int[::1] number, unsigned char[::1] tags, int[::1] parents, int[::1] ends, int[::1] depths,
    int[::1] attrs, int[::1] all_breaks,
):
    """Copies the columns of the rows that stay, and numbers them anew in `number`."""
    cdef Py_ssize_t rows = tag.shape[0], at = 0, row
    for row in range(rows):
        number[row] = at
        at += stays[row]
    number[rows] = at
    for row in range(rows):
        if stays[row]:
            at = number[row]
            tags[at] = tag[row]
            parents[at] = number[parent[row]] if parent[row] >= 0 else parent[row]
            ends[at] = number[end[row]]
            depths[at] = depth[row]
            attrs[at] = attrs_at[row]
            all_breaks[at] = breaks[row]
