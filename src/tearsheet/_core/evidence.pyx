# cython: boundscheck=False, wraparound=False
"""Loops that fill those columns of evidence that need no vocabulary: text, containers, places.

`EvidenceRows` says which row of the table each column is; the loops know columns by name only.
"""

import math

import numpy as np

from tearsheet.tags import CODES, HEADINGS, NAMES

cdef enum:
    KINDS = 7  # of letters
    PLAIN = 0
    CAPITAL = 1
    DIGIT = 2
    COMMA = 3
    STOP = 4  # the end of a sentence
    SIGN = 5  # any other
    MONEY = 6
    MOST_SIGNS = 20  # commas or stops that are counted
    GROUP = 3  # so many siblings of one kind are a group
    TABLED = 1 << 15  # logarithms of smaller counts are in a table

cdef enum:  # elements that are counted in a container
    IMAGE, HEADING, TIME, CONTROL, MARKS

cdef int H1 = CODES["h1"], P = CODES["p"]
cdef const unsigned char[::1] IS_HEADING = HEADINGS.astype(np.uint8)
cdef const double[::1] LOG1P = np.log1p(np.arange(TABLED))
cdef const double[::1] LOG2 = np.log2(np.maximum(np.arange(TABLED), 1))


cdef class EvidenceRows:
    """The row of each column in the table. In the lists by tag, -1 means that it has no column."""

    cdef public int chars, words, link_share, word_length, copies, copies_before, hidden
    cdef public int first_letter_kind, last_letter_kind, ends_with_colon
    cdef public int capital_share, digit_share, comma_share, commas, stop_share, stops
    cdef public int sign_share, currency_signs
    cdef public int block_tag, parent_tag
    cdef public int level_with_h1, level_with_longest, containers_above
    cdef public int in_largest_group, largest_group_share
    cdef public int position, chars_before, from_h1, h1_count, in_best_run, from_best_run
    cdef public int section_segments, section_words, section_link_share, section_mean_words
    cdef public int section_position, section_number
    cdef public int page_segments, page_chars, page_link_share, page_mean_words
    cdef public int page_long_segments, page_long_share, page_p_share, page_hidden_share
    cdef public const int[::1] around, page_tag_count
    cdef public const int[::1] container_segments, container_chars, container_link_share
    cdef public const int[::1] container_mean_words, container_long_share, container_siblings
    cdef public const int[::1] container_tag, container_money, container_position, container_page_share
    cdef public const int[::1] container_images, container_headings, container_times, container_controls
    cdef public const int[::1] group_share
    cdef public const int[::1] step, words_at, link_share_at, tag_at, same_container_at
    cdef public const int[::1] width, words_near, link_share_near, long_share_near


def _letter_kinds():
    """The kind of each letter below U+10000."""
    kinds = np.zeros(1 << 16, dtype=np.uint8)
    for code in range(0x3000):
        sign = chr(code)
        if sign.isupper():
            kinds[code] = CAPITAL
        elif sign.isdigit():
            kinds[code] = DIGIT
        elif not sign.isalnum() and sign != " ":
            kinds[code] = SIGN
    for kind, signs in ((COMMA, ",،、，;；"), (STOP, ".!?。！？…؟।"), (MONEY, "$€£¥₹₽")):
        for sign in signs:
            kinds[ord(sign)] = kind
    return kinds


def _marks():
    """The kind of element that each tag counts as; -1: none."""
    marks = np.full(len(NAMES), -1, dtype=np.int32)
    for mark, names in (
        (IMAGE, ("img", "picture")),
        (HEADING, ("h1", "h2", "h3", "h4", "h5", "h6")),
        (TIME, ("time",)),
        (CONTROL, ("button", "input", "select", "textarea")),
    ):
        marks[[CODES[name] for name in names]] = mark
    return marks


cdef const unsigned char[::1] LETTER_KIND = _letter_kinds()
cdef const int[::1] MARK = _marks()


cdef double log1p(long long count) except -1:
    """log(1 + count)."""
    return LOG1P[count] if count < TABLED else math.log1p(count)


cdef double log2(long long count) except -1:
    """log2(count)."""
    return LOG2[count] if count < TABLED else math.log2(count)


def fill(
    EvidenceRows rows, float[:, ::1] out, list texts, *, tag, parent, end, first, block, chars,
    words, links, hidden, around, int long_words, Py_ssize_t run_low, Py_ssize_t run_high,
):
    """Fills the columns of a table that is all zeros.

    `around` has the containers of the segments. A segment of `long_words` words or more is long.
    The page's best run of text is `run_low:run_high`.
    """
    evidence = Evidence(rows, tag, parent, end, first, block, chars, words, links, hidden, around)
    evidence.out, evidence.long_words = out, long_words
    evidence.run_low, evidence.run_high = run_low, run_high
    evidence.fill(texts)


cdef class Evidence:
    """A page, sums over its rows and segments, and the table."""

    cdef EvidenceRows at
    cdef float[:, ::1] out
    cdef Py_ssize_t size, rows, h1, h1s, run_low, run_high
    cdef int long_words
    cdef const unsigned char[::1] tag, hidden
    cdef const int[::1] parent, end, first, block, chars, words, links
    cdef const int[::1] each, low, high, family, copy, copies_before
    cdef const int[:, ::1] number, top, bottom
    # Before each segment, and in all:
    cdef long long[::1] chars_to, links_to, words_to, long_to, money_to
    cdef int[:, ::1] marks_to  # elements of each kind before each row, and in all
    cdef int[::1] depth  # for each row: elements around it that hold more text than the one below
    cdef int[::1] members  # rows in each family
    cdef long long[::1] family_words

    def __init__(
        self, EvidenceRows rows, tag, parent, end, first, block, chars, words, links, hidden, around
    ):
        self.at = rows
        self.tag, self.parent, self.end, self.first, self.block = tag, parent, end, first, block
        self.chars, self.words, self.links, self.hidden = chars, words, links, hidden
        self.each, self.number, self.top, self.bottom = (
            around.each, around.number, around.top, around.bottom
        )
        self.low, self.high, self.family = around.low, around.high, around.family
        self.copy, self.copies_before = around.copy, around.copies_before
        self.size, self.rows = self.first.shape[0], self.tag.shape[0]
        sums = np.zeros((5, self.size + 1), dtype=np.int64)
        self.chars_to, self.links_to, self.words_to, self.long_to, self.money_to = sums
        self.marks_to = np.zeros((MARKS, self.rows + 1), dtype=np.int32)
        self.depth = np.zeros(self.rows, dtype=np.int32)
        self.members = np.zeros(around.families, dtype=np.int32)
        self.family_words = np.zeros(around.families, dtype=np.int64)
        self.h1, self.h1s = -1, 0

    cdef int fill(self, list texts) except -1:
        """Fills all columns."""
        self.fill_text()
        self.fill_letters(texts)
        self.fill_ancestors()
        self.sum_segments()
        self.sum_rows()
        self.fill_containers()
        self.fill_meetings()
        self.fill_repetition()
        self.fill_position()
        self.fill_neighbours()
        self.fill_sections()
        self.fill_page()
        return 0

    cdef int fill_text(self) except -1:
        """How long a segment is, its share of links, and how often its text is on the page."""
        cdef float[:, ::1] out = self.out
        cdef EvidenceRows at = self.at
        cdef const int[::1] chars = self.chars, words = self.words, links = self.links
        cdef const int[::1] copy = self.copy
        cdef int[::1] copies = np.zeros(self.size, dtype=np.int32)
        cdef Py_ssize_t i
        for i in range(self.size):
            copies[copy[i]] += 1
        for i in range(self.size):
            out[at.chars, i] = log1p(chars[i])
            out[at.words, i] = log1p(words[i])
            out[at.link_share, i] = links[i] / <double> max(chars[i], 1)
            out[at.word_length, i] = chars[i] / <double> max(words[i], 1)
            out[at.copies, i] = log2(copies[copy[i]])
            out[at.copies_before, i] = log1p(self.copies_before[i])
            out[at.hidden, i] = self.hidden[i]
        return 0

    cdef int fill_letters(self, list texts) except -1:
        """The kinds of a text's first and last letter, and the share or number of each kind."""
        cdef float[:, ::1] out = self.out
        cdef EvidenceRows at = self.at
        cdef int[KINDS] found
        cdef Py_ssize_t i, kind, first
        cdef double size
        cdef str text
        cdef Py_UCS4 sign
        for i in range(self.size):
            text = texts[i]
            size, sign = len(text), text[0]
            first = LETTER_KIND[ord(sign)] if ord(sign) < 1 << 16 else PLAIN
            for kind in range(KINDS):
                found[kind] = 0
            kind = PLAIN
            found[SIGN] = i < self.size - 1  # the end of each line but the last is a sign
            for sign in text:
                kind = LETTER_KIND[ord(sign)] if ord(sign) < 1 << 16 else PLAIN
                if kind:
                    found[kind] += 1
            out[at.first_letter_kind, i] = first
            out[at.last_letter_kind, i] = kind
            out[at.ends_with_colon, i] = sign == u":"
            out[at.capital_share, i] = found[CAPITAL] / size
            out[at.digit_share, i] = found[DIGIT] / size
            out[at.comma_share, i] = found[COMMA] / size
            out[at.commas, i] = min(found[COMMA], MOST_SIGNS)
            out[at.stop_share, i] = found[STOP] / size
            out[at.stops, i] = min(found[STOP], MOST_SIGNS)
            out[at.sign_share, i] = found[SIGN] / size
            out[at.currency_signs, i] = found[MONEY]
        return 0

    cdef int fill_ancestors(self) except -1:
        """How many elements of each tag are around a segment. The columns first get the changes
        from one segment to the next, which are then added up."""
        cdef float[:, ::1] out = self.out
        cdef EvidenceRows at = self.at
        cdef Py_ssize_t size = self.size, row, column, low, high, i, code
        for row in range(self.rows):
            column, low, high = at.around[self.tag[row]], self.low[row], self.high[row]
            if column >= 0 and low < high:
                out[column, low] += 1
                if high < size:
                    out[column, high] -= 1
        for code in range(at.around.shape[0]):
            column = at.around[code]
            if column >= 0:
                for i in range(1, size):
                    out[column, i] += out[column, i - 1]
        for i in range(size):
            out[at.block_tag, i] = self.tag[self.block[i]]
            out[at.parent_tag, i] = self.tag[max(self.parent[self.first[i]], 0)]
        return 0

    cdef int sum_segments(self) except -1:
        """Adds up characters, links, words, long segments and prices before each segment."""
        cdef Py_ssize_t i
        for i in range(self.size):
            self.chars_to[i + 1] = self.chars_to[i] + self.chars[i]
            self.links_to[i + 1] = self.links_to[i] + self.links[i]
            self.words_to[i + 1] = self.words_to[i] + self.words[i]
            self.long_to[i + 1] = self.long_to[i] + (self.words[i] >= self.long_words)
            self.money_to[i + 1] = self.money_to[i] + (self.out[self.at.currency_signs, i] > 0)
        return 0

    cdef int sum_rows(self) except -1:
        """Counts marks, `<h1>` and the members of families, and finds depths, in one pass."""
        cdef int[:, ::1] marks_to = self.marks_to
        cdef int[::1] depth = self.depth
        cdef Py_ssize_t row, start, stop, own, above, mark
        cdef int code, own_mark
        for row in range(self.rows):
            code, start, stop = self.tag[row], self.low[row], self.high[row]
            own, above, own_mark = self.family[row], self.parent[row], MARK[code]
            for mark in range(MARKS):
                marks_to[mark, row + 1] = marks_to[mark, row] + (own_mark == mark)
            if code == H1:
                self.h1s += 1
                if self.h1 < 0:
                    self.h1 = row
            self.members[own] += 1
            if start < stop:
                self.family_words[own] += self.words_to[stop] - self.words_to[start]
            if above >= 0:
                depth[row] = depth[above] + (
                    0 < stop - start < self.high[above] - self.low[above]
                )
        return 0

    cdef int fill_containers(self) except -1:
        """What each container holds: how much text, what share of links, how many like siblings."""
        cdef EvidenceRows at = self.at
        cdef float[::1] value = np.empty(self.each.shape[0], dtype=np.float32)
        cdef const int[::1] each = self.each, low = self.low, high = self.high
        cdef Py_ssize_t i, row
        cdef double whole = max(self.chars_to[self.size], 1)
        for i in range(each.shape[0]):
            value[i] = log1p(max(high[each[i]] - low[each[i]], 1))
        self.spread(at.container_segments, value)
        for i in range(each.shape[0]):
            value[i] = log1p(self.chars_to[high[each[i]]] - self.chars_to[low[each[i]]])
        self.spread(at.container_chars, value)
        for i in range(each.shape[0]):
            row = each[i]
            value[i] = (self.links_to[high[row]] - self.links_to[low[row]]) / <double> max(
                self.chars_to[high[row]] - self.chars_to[low[row]], 1
            )
        self.spread(at.container_link_share, value)
        for i in range(each.shape[0]):
            row = each[i]
            value[i] = (self.words_to[high[row]] - self.words_to[low[row]]) / <double> max(
                high[row] - low[row], 1
            )
        self.spread(at.container_mean_words, value)
        for i in range(each.shape[0]):
            row = each[i]
            value[i] = (self.long_to[high[row]] - self.long_to[low[row]]) / <double> max(
                high[row] - low[row], 1
            )
        self.spread(at.container_long_share, value)
        for i in range(each.shape[0]):
            value[i] = log2(self.members[self.family[each[i]]])
        self.spread(at.container_siblings, value)
        for i in range(each.shape[0]):
            value[i] = log1p(self.money_to[high[each[i]]] - self.money_to[low[each[i]]])
        self.spread(at.container_money, value)
        for i in range(each.shape[0]):
            value[i] = (self.chars_to[high[each[i]]] - self.chars_to[low[each[i]]]) / whole
        self.spread(at.container_page_share, value)
        self.fill_marks(at.container_images, IMAGE, value)
        self.fill_marks(at.container_headings, HEADING, value)
        self.fill_marks(at.container_times, TIME, value)
        self.fill_marks(at.container_controls, CONTROL, value)
        self.fill_places()
        return 0

    cdef int fill_marks(self, const int[::1] columns, Py_ssize_t mark, float[::1] value) except -1:
        """How many elements of one kind each container holds."""
        cdef Py_ssize_t i, row
        for i in range(self.each.shape[0]):
            row = self.each[i]
            value[i] = log1p(self.marks_to[mark, self.end[row]] - self.marks_to[mark, row])
        self.spread(columns, value)
        return 0

    cdef int spread(self, const int[::1] columns, const float[::1] value) except -1:
        """Gives each segment the values of its containers, a column per level."""
        cdef float[:, ::1] out = self.out
        cdef const int[:, ::1] number = self.number
        cdef Py_ssize_t level, column, i
        for level in range(columns.shape[0]):
            column = columns[level]
            for i in range(self.size):
                out[column, i] = value[number[level, i]]
        return 0

    cdef int fill_places(self) except -1:
        """The tag of each container, and where in it the segment is."""
        cdef float[:, ::1] out = self.out
        cdef Py_ssize_t level, tag, position, i, row, low, high
        for level in range(self.top.shape[0]):
            tag, position = self.at.container_tag[level], self.at.container_position[level]
            for i in range(self.size):
                row = self.top[level, i]
                low, high = self.low[row], self.high[row]
                out[tag, i] = self.tag[self.bottom[level, i]]
                out[position, i] = (i - low) / <double> max(high - low, 1)
        return 0

    cdef int fill_meetings(self) except -1:
        """The first level whose container also holds the page's heading; the same for its longest
        text."""
        cdef Py_ssize_t longest = 0, i
        for i in range(self.size):
            if self.chars[i] - 2 * self.links[i] > self.chars[longest] - 2 * self.links[longest]:
                longest = i
        self.meet(self.at.level_with_h1, self.h1)
        self.meet(self.at.level_with_longest, self.first[longest])
        for i in range(self.size):
            self.out[self.at.containers_above, i] = self.depth[self.block[i]]
        return 0

    cdef int meet(self, Py_ssize_t column, Py_ssize_t row) except -1:
        """The first level whose container holds a row; the number of levels if none does."""
        cdef const int[:, ::1] top = self.top
        cdef const int[::1] end = self.end
        cdef Py_ssize_t levels = top.shape[0], i, level
        for i in range(self.size):
            level = 0
            while level < levels and not (top[level, i] <= row < end[top[level, i]]):
                level += 1
            self.out[column, i] = level
        return 0

    cdef int fill_repetition(self) except -1:
        """The share of the page's words that is in repeated siblings (cards, posts), and which
        segments are in the largest group of them."""
        cdef float[:, ::1] out = self.out
        cdef EvidenceRows at = self.at
        cdef double whole = max(self.words_to[self.size], 1)
        cdef Py_ssize_t largest = 0, own, level, column, i, row
        cdef long long most = 0
        for own in range(self.family_words.shape[0]):
            if self.members[own] >= GROUP and self.family_words[own] > most:
                largest, most = own, self.family_words[own]
        for level in range(at.group_share.shape[0]):
            column = at.group_share[level]
            for i in range(self.size):
                own = self.family[self.top[level + 1, i]]
                out[column, i] = self.family_words[own] / whole
        self.repeat(at.largest_group_share, most / whole)
        if most:
            for row in range(self.rows):
                if self.family[row] == largest:
                    for i in range(self.low[row], self.high[row]):
                        out[at.in_largest_group, i] = 1
        return 0

    cdef int fill_position(self) except -1:
        """Where a segment is, counted from the page's beginning, heading and best run of text."""
        cdef float[:, ::1] out = self.out
        cdef EvidenceRows at = self.at
        cdef double size = self.size, chars = max(self.chars_to[self.size], 1)
        cdef Py_ssize_t low = self.run_low, high = self.run_high, i, far
        cdef Py_ssize_t head = self.low[self.h1] if self.h1s else -1
        for i in range(self.size):
            out[at.position, i] = i / size
            out[at.chars_before, i] = self.chars_to[i] / chars
            if head >= 0:
                out[at.from_h1, i] = log1p(i - head) if i > head else -log1p(head - i)
            out[at.h1_count, i] = self.h1s
            out[at.in_best_run, i] = low <= i < high
            far = i - low if i < low else i - high + 1 if i >= high else 0
            out[at.from_best_run, i] = far / size
        return 0

    cdef int fill_neighbours(self) except -1:
        """The length, links and tag of the segments before and after and whether they share its
        container, and means over the segments on both sides."""
        cdef EvidenceRows at = self.at
        cdef double[::1] words_to, links_to, long_to
        cdef Py_ssize_t i, place, width, low, high
        words_to, links_to, long_to = np.zeros((3, self.size + 1))
        for i in range(self.size):
            words_to[i + 1] = words_to[i] + log1p(self.words[i])
            links_to[i + 1] = links_to[i] + self.links[i] / <double> max(self.chars[i], 1)
            long_to[i + 1] = long_to[i] + (self.words[i] >= self.long_words)
        for place in range(at.step.shape[0]):
            self.fill_neighbour(place)
        for place in range(at.width.shape[0]):
            width = at.width[place]
            for i in range(self.size):
                low, high = max(i - width, 0), min(i + width + 1, self.size)
                self.out[at.words_near[place], i] = (words_to[high] - words_to[low]) / (high - low)
                self.out[at.link_share_near[place], i] = (
                    (links_to[high] - links_to[low]) / (high - low)
                )
                self.out[at.long_share_near[place], i] = (
                    (long_to[high] - long_to[low]) / (high - low)
                )
        return 0

    cdef int fill_neighbour(self, Py_ssize_t place) except -1:
        """The same of one neighbour, some places away; -1 beyond the ends."""
        cdef float[:, ::1] out = self.out
        cdef const int[:, ::1] bottom = self.bottom
        cdef Py_ssize_t step = self.at.step[place], i, there
        cdef Py_ssize_t words = self.at.words_at[place], links = self.at.link_share_at[place]
        cdef Py_ssize_t tag = self.at.tag_at[place], same = self.at.same_container_at[place]
        for i in range(self.size):
            there = i + step
            if 0 <= there < self.size:
                out[words, i] = log1p(self.words[there])
                out[links, i] = self.links[there] / <double> max(self.chars[there], 1)
                out[tag, i] = self.tag[self.block[there]]
                out[same, i] = bottom[1, there] == bottom[1, i]
            else:
                out[words, i] = out[links, i] = out[tag, i] = -1
        return 0

    cdef int fill_sections(self) except -1:
        """How much a segment's section holds, and where in it the segment is. Each heading begins a
        section."""
        cdef float[:, ::1] out = self.out
        cdef EvidenceRows at = self.at
        cdef Py_ssize_t start = 0, number = 0, stop, i
        cdef long long words, chars
        while start < self.size:
            number += IS_HEADING[self.tag[self.block[start]]]
            stop = start + 1
            while stop < self.size and not IS_HEADING[self.tag[self.block[stop]]]:
                stop += 1
            words = self.words_to[stop] - self.words_to[start]
            chars = self.chars_to[stop] - self.chars_to[start]
            for i in range(start, stop):
                out[at.section_segments, i] = log1p(stop - start)
                out[at.section_words, i] = log1p(words)
                out[at.section_link_share, i] = (
                    (self.links_to[stop] - self.links_to[start]) / <double> max(chars, 1)
                )
                out[at.section_mean_words, i] = words / <double> (stop - start)
                out[at.section_position, i] = i - start
                out[at.section_number, i] = number
            start = stop
        return 0

    cdef int fill_page(self) except -1:
        """What the page as a whole is like; the same for each of its segments."""
        cdef EvidenceRows at = self.at
        cdef double size = self.size, chars = max(self.chars_to[self.size], 1)
        cdef long long in_long = 0, in_p = 0, hidden = 0
        cdef int[::1] count = np.zeros(at.page_tag_count.shape[0], dtype=np.int32)
        cdef Py_ssize_t i, row, code
        for i in range(self.size):
            in_long += self.chars[i] if self.words[i] >= self.long_words else 0
            in_p += self.chars[i] if self.tag[self.block[i]] == P else 0
            hidden += self.chars[i] if self.hidden[i] else 0
        for row in range(self.rows):
            count[self.tag[row]] += 1
        self.repeat(at.page_segments, log1p(self.size))
        self.repeat(at.page_chars, log1p(<long long> chars))
        self.repeat(at.page_link_share, self.links_to[self.size] / chars)
        self.repeat(at.page_mean_words, self.words_to[self.size] / size)
        self.repeat(at.page_long_segments, log1p(self.long_to[self.size]))
        self.repeat(at.page_long_share, in_long / chars)
        self.repeat(at.page_p_share, in_p / chars)
        self.repeat(at.page_hidden_share, hidden / chars)
        for code in range(count.shape[0]):
            if at.page_tag_count[code] >= 0:
                self.repeat(at.page_tag_count[code], log1p(count[code]))
        return 0

    cdef int repeat(self, Py_ssize_t column, double value) except -1:
        """Gives all segments the same value."""
        cdef Py_ssize_t i
        for i in range(self.size):
            self.out[column, i] = value
        return 0


def first_words(list texts, Py_ssize_t count):
    """The first `count` words of each text; an empty string if it has fewer."""
    cdef list starts = []
    cdef Py_ssize_t i, at, missing
    cdef str text
    for i in range(len(texts)):
        text, at, missing = texts[i], 0, count
        while at < len(text):
            missing -= text[at] == u" "
            if not missing:
                break
            at += 1
        starts.append(text[:at] if missing < 2 else "")
    return starts
