# cython: wraparound=False
"""Loops along the segments of a page: the columns of context, groups of segments that are made
alike, the best run, and the best choice.

`ContextRows` says which row of the table each column is; the loops know columns by name only.
"""

import numpy as np

from tearsheet.tags import HEADINGS, mask

ctypedef unsigned long long Number

cdef Number MIX = 0x9E3779B97F4A7C15  # 2^64 by the golden ratio: it spreads numbers evenly

cdef const unsigned char[::1] IS_HEADING = HEADINGS.astype(np.uint8)
cdef const unsigned char[::1] IS_MAIN_HEADING = mask("h1", "h2").astype(np.uint8)


cdef class ContextRows:
    """The row of each column in the table."""

    cdef public int score, kind_score, nested_kind_score, section_score, section_content
    cdef public int best_copy_score, copy_rank
    cdef public int page_expected_f1, above_cut, page_content_share, page_kept_share, from_kept
    cdef public int in_best_score_run, from_best_score_run, score_rank, from_peak
    cdef public int heading_score, main_heading_score
    cdef public const int[::1] step, score_at, width, content_near, score_near
    cdef public const int[::1] content_in, score_in, family_content, first_line_score


def fill_context(
    ContextRows rows, float[:, ::1] out, score, words, order, tag, block, around,
):
    """Fills the columns of context. `order` has the segments from the best score to the worst,
    `around` the containers of the segments."""
    Context(rows, out, score, words, order, tag, block, around).fill()


cdef class Context:
    """A page, the scores of its first pass, and the table."""

    cdef ContextRows at
    cdef float[:, ::1] out
    cdef Py_ssize_t size
    cdef const float[::1] score
    cdef const double[::1] words
    cdef const unsigned char[::1] tag
    cdef const int[::1] order, block, each, low, high, kind, family, copy
    cdef const int[:, ::1] number, top, bottom
    cdef double[::1] words_to, score_to, content_to  # sums before each segment, and of all
    cdef double[::1] weight, weighted  # sums over each group
    cdef int[::1] group  # the group of each segment, for `mean_by_group`

    def __init__(self, ContextRows rows, out, score, words, order, tag, block, around):
        self.at, self.out, self.score, self.words = rows, out, score, words
        self.order, self.tag, self.block = order, tag, block
        self.each, self.number, self.top, self.bottom = (
            around.each, around.number, around.top, around.bottom
        )
        self.low, self.high, self.kind, self.family, self.copy = (
            around.low, around.high, around.kind, around.family, around.copy
        )
        self.size = self.score.shape[0]
        self.words_to, self.score_to, self.content_to = np.zeros((3, self.size + 1))
        self.group = np.zeros(self.size, dtype=np.int32)
        groups = max(around.families, around.kinds, self.size + 1)
        self.weight, self.weighted = np.zeros((2, groups))

    cdef int fill(self) except -1:
        """Fills all columns."""
        self.sum()
        self.fill_neighbours()
        self.fill_containers()
        self.fill_make()
        self.fill_copies()
        self.fill_page()
        self.fill_headings()
        return 0

    cdef int sum(self) except -1:
        """Adds up words, scores and content before each segment."""
        cdef Py_ssize_t i
        for i in range(self.size):
            self.words_to[i + 1] = self.words_to[i] + self.words[i]
            self.score_to[i + 1] = self.score_to[i] + self.score[i]
            self.content_to[i + 1] = self.content_to[i] + self.words[i] * self.score[i]
        return 0

    cdef double content(self, Py_ssize_t low, Py_ssize_t high) except? -1:
        """The expected share of content among the words from `low` to `high`."""
        return (self.content_to[high] - self.content_to[low]) / max(
            self.words_to[high] - self.words_to[low], 1.0
        )

    cdef double mean(self, Py_ssize_t low, Py_ssize_t high) except? -1:
        """The mean score from `low` to `high`."""
        return (self.score_to[high] - self.score_to[low]) / max(high - low, 1)

    cdef int fill_neighbours(self) except -1:
        """The scores of the neighbours, -1 beyond the ends, and means over those on both sides."""
        cdef float[:, ::1] out = self.out
        cdef ContextRows at = self.at
        cdef const float[::1] score = self.score
        cdef Py_ssize_t size = self.size, i, place, step, width, low, high, column
        for i in range(size):
            out[at.score, i] = score[i]
        for place in range(at.step.shape[0]):
            step, column = at.step[place], at.score_at[place]
            for i in range(size):
                out[column, i] = score[i + step] if 0 <= i + step < size else -1.0
        for place in range(at.width.shape[0]):
            width = at.width[place]
            for i in range(size):
                low, high = max(i - width, 0), min(i + width + 1, size)
                out[at.content_near[place], i] = self.content(low, high)
                out[at.score_near[place], i] = self.mean(low, high)
        return 0

    cdef int fill_containers(self) except -1:
        """The mean score in each container, with and without weighting by words."""
        cdef float[:, ::1] out = self.out
        cdef ContextRows at = self.at
        cdef const int[:, ::1] number = self.number
        cdef float[::1] content, mean
        cdef Py_ssize_t i, low, high, level, by_words, plain
        content, mean = np.empty((2, self.each.shape[0]), dtype=np.float32)
        for i in range(self.each.shape[0]):
            low, high = self.low[self.each[i]], self.high[self.each[i]]
            content[i], mean[i] = self.content(low, high), self.mean(low, high)
        for level in range(at.content_in.shape[0]):
            by_words, plain = at.content_in[level], at.score_in[level]
            for i in range(self.size):
                out[by_words, i] = content[number[level, i]]
                out[plain, i] = mean[number[level, i]]
        return 0

    cdef int fill_make(self) except -1:
        """The mean scores of elements of the same family, of the same kind, and of the same kind in
        the same kind of element; and of the section."""
        cdef ContextRows at = self.at
        cdef int[::1] group = self.group
        cdef int section = 0
        cdef Py_ssize_t level, i
        for level in range(at.family_content.shape[0]):
            for i in range(self.size):
                group[i] = self.family[self.top[level, i]]
            self.mean_by_group(at.family_content[level], True)
        for i in range(self.size):
            group[i] = self.kind[self.bottom[0, i]]
        self.mean_by_group(at.kind_score, False)
        refine_groups(group, self.kind, self.bottom, 1)
        self.mean_by_group(at.nested_kind_score, False)
        for i in range(self.size):
            section += IS_HEADING[self.tag[self.block[i]]]
            group[i] = section
        self.mean_by_group(at.section_score, False)
        self.mean_by_group(at.section_content, True)
        return 0

    cdef int mean_by_group(self, Py_ssize_t column, bint by_words) except -1:
        """Gives each segment the mean score of its group."""
        cdef int[::1] group = self.group
        cdef double[::1] total = self.weight, weighted = self.weighted
        cdef Py_ssize_t i
        cdef double weight
        for i in range(self.size):
            total[group[i]] = weighted[group[i]] = 0.0
        for i in range(self.size):
            weight = self.words[i] if by_words else 1.0
            total[group[i]] += weight
            weighted[group[i]] += self.score[i] * weight
        for i in range(self.size):
            self.out[column, i] = weighted[group[i]] / max(total[group[i]], 1.0)
        return 0

    cdef int fill_copies(self) except -1:
        """The best score of all segments with the same text, and this one's rank among them."""
        cdef float[:, ::1] out = self.out
        cdef ContextRows at = self.at
        cdef float[::1] best = np.zeros(self.size, dtype=np.float32)
        cdef int[::1] count = np.zeros(self.size, dtype=np.int32)
        cdef Py_ssize_t place, i, number
        for place in range(self.size):
            i = self.order[place]
            number = self.copy[i]
            if not count[number]:
                best[number] = self.score[i]
            out[at.best_copy_score, i] = best[number]
            out[at.copy_rank, i] = count[number]
            count[number] += 1
        return 0

    cdef int fill_page(self) except -1:
        """Compares a segment with the best choice for the page, and with its best run."""
        cdef float[:, ::1] out = self.out
        cdef ContextRows at = self.at
        cdef const float[::1] score = self.score
        cdef const double[::1] words = self.words
        cdef double[::1] content, gain
        cdef Py_ssize_t size = self.size, peak = 0, begin = size, stop = 0
        cdef Py_ssize_t i, taken, place, low, high
        cdef double expected, share
        content, gain = np.empty((2, size))
        for i in range(size):
            content[i] = score[i] * words[i]
            if content[i] > content[peak]:
                peak = i
        taken, expected = best_count(self.order, content, words, 1.0)
        for place in range(taken):
            begin, stop = min(begin, self.order[place]), max(stop, self.order[place] + 1)
        for i in range(size):
            out[at.above_cut, i] = score[i] - expected / 2
            gain[i] = out[at.above_cut, i] * words[i]
        low, high = best_run(gain)
        share = self.content_to[size] / max(self.words_to[size], 1.0)
        for i in range(size):
            out[at.page_expected_f1, i] = expected
            out[at.page_content_share, i] = share
            out[at.page_kept_share, i] = taken / <double> size
            out[at.from_kept, i] = distance(i, begin, stop) / <double> size
            out[at.in_best_score_run, i] = low <= i < high
            out[at.from_best_score_run, i] = distance(i, low, high)
            out[at.score_rank, self.order[i]] = i / <double> size
            out[at.from_peak, i] = i - peak
        return 0

    cdef int fill_headings(self) except -1:
        """The scores of the headings before a segment, -1 if there is none, and of the first lines
        of its containers."""
        cdef float[:, ::1] out = self.out
        cdef ContextRows at = self.at
        cdef double heading = -1.0, main_heading = -1.0
        cdef Py_ssize_t i, level, column
        cdef int code
        for i in range(self.size):
            out[at.heading_score, i], out[at.main_heading_score, i] = heading, main_heading
            code = self.tag[self.block[i]]
            if IS_HEADING[code]:
                heading = self.score[i]
            if IS_MAIN_HEADING[code]:
                main_heading = self.score[i]
        for level in range(at.first_line_score.shape[0]):
            column = at.first_line_score[level]
            for i in range(self.size):
                out[column, i] = self.score[self.low[self.top[level + 1, i]]]
        return 0


cdef Py_ssize_t distance(Py_ssize_t place, Py_ssize_t low, Py_ssize_t high) noexcept:
    """How far a place is from low:high: negative before it, 0 within it."""
    if place < low:
        return place - low
    return place - high + 1 if place >= high else 0


def group_by_make(int[::1] group, const int[::1] kind, const int[:, ::1] bottom, int levels):
    """Splits groups of segments: two stay together if, on each level from 1 on, the elements around
    them are of the same kind."""
    cdef int level
    for level in range(1, levels):
        refine_groups(group, kind, bottom, level)


cdef int refine_groups(
    int[::1] group, const int[::1] kind, const int[:, ::1] bottom, Py_ssize_t level,
) except -1:
    """Splits groups by the kind of the element on one level, and numbers them anew."""
    cdef Py_ssize_t size = group.shape[0], last, i, slot
    cdef int bits = 4, count = 0
    cdef Number[::1] pairs
    cdef int[::1] numbers
    cdef Number pair
    while <Py_ssize_t> 1 << bits < 2 * size:
        bits += 1
    last = (<Py_ssize_t> 1 << bits) - 1
    pairs, numbers = np.zeros(last + 1, dtype=np.uint64), np.zeros(last + 1, dtype=np.int32)
    for i in range(size):
        pair = group[i]
        pair = (pair << 32 | <Number> kind[bottom[level, i]]) + 1
        slot = <Py_ssize_t> (pair * MIX >> 64 - bits)
        while pairs[slot] and pairs[slot] != pair:
            slot = slot + 1 & last
        if not pairs[slot]:
            pairs[slot], numbers[slot] = pair, count
            count += 1
        group[i] = numbers[slot]
    return 0


def even_out(
    float[::1] out, const float[::1] score, const int[::1] words, const int[::1] group,
):
    """Moves each score halfway to the mean of its group, weighted by words."""
    cdef Py_ssize_t size = group.shape[0], i
    cdef double[::1] length, content
    length, content = np.zeros((2, size))
    for i in range(size):
        length[group[i]] += words[i]
        content[group[i]] += words[i] * score[i]
    for i in range(size):
        out[i] = (score[i] + content[group[i]] / max(length[group[i]], 1e-9)) / 2


def mark_doubles(
    const unsigned char[::1] keep, const float[::1] score, const int[::1] words,
    const int[::1] copy, int label, double certain, unsigned char[::1] doubled,
):
    """Marks kept segments whose text is kept before them, unless they are labels or certain."""
    cdef unsigned char[::1] seen = np.zeros(keep.shape[0], dtype=np.uint8)
    cdef Py_ssize_t i
    for i in range(keep.shape[0]):
        if keep[i]:
            doubled[i] = seen[copy[i]] and words[i] >= label and score[i] < certain
            seen[copy[i]] = 1


cpdef tuple best_count(
    const int[::1] order, const double[::1] content, const double[::1] words, double beta,
):
    """How many segments to keep from the front of this order for the best expected F-measure, and
    that F-measure."""
    cdef double whole = 0, right = 0, taken = 0, best = 0, squared = beta * beta, gain
    cdef Py_ssize_t count = 0, place
    for place in range(order.shape[0]):
        whole += content[order[place]]
    for place in range(order.shape[0]):
        right += content[order[place]]
        taken += words[order[place]]
        gain = (1 + squared) * right / max(taken + squared * whole, 1e-9)
        if gain > best or not count:
            best, count = gain, place + 1
    return count, best


def best_count_for_readings(
    const int[::1] order, const double[::1] score, const double[::1] words,
    const double[::1] borders, const double[::1] chances, double sharper, double beta,
):
    """How many segments to keep from the front of this order, if a page has several readings.

    Each reading has a chance and a border: a segment with higher odds is content.
    """
    cdef Py_ssize_t readings = borders.shape[0], count = 0, i, reading, place
    cdef double[:, ::1] content = np.empty((readings, order.shape[0]))
    cdef double[::1] whole, right
    cdef double taken = 0, best = 0, sure, odds, gain
    whole, right = np.zeros((2, readings))
    for i in range(order.shape[0]):
        sure = min(max(score[i], 1e-4), 1 - 1e-4)
        odds = ((1 - sure) / sure) ** sharper
        for reading in range(readings):
            content[reading, i] = words[i] / (1 + borders[reading] * odds)
            whole[reading] += content[reading, i]
    for place in range(order.shape[0]):
        i = order[place]
        taken += words[i]
        gain = 0.0
        for reading in range(readings):
            right[reading] += content[reading, i]
            gain += chances[reading] * right[reading] / max(
                taken + beta * beta * whole[reading], 1e-9
            )
        if gain > best or not count:
            best, count = gain, place + 1
    return count


cpdef tuple best_run(const double[::1] numbers):
    """First position and one past the last of the shortest run with the largest sum."""
    cdef Py_ssize_t start = 0, end = 1, begin = 0, i
    cdef double best = numbers[0], total = 0.0, lowest = 0.0, gain
    for i in range(numbers.shape[0]):
        if total <= lowest:  # a run may as well begin here
            begin, lowest = i, total
        total += numbers[i]
        gain = total - lowest if total > lowest else numbers[i]
        if gain > best:
            start, end, best = begin, i + 1, gain
    return start, end
