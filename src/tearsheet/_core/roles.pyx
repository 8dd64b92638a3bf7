# cython: boundscheck=False, wraparound=False
"""Sums of weights: how much each word and each value of a segment speaks for each role.

A word is the row of its weights; row 0 is an unknown word, whose weights are zero.
"""

import numpy as np

cdef extern from *:
    """
    /* The two do not overlap, so the compiler makes vectors of them. */
    static void add_row(float *restrict to, const float *restrict row, Py_ssize_t size) {
        for (Py_ssize_t i = 0; i < size; i++) to[i] += row[i];
    }
    """
    void add_row(float *to, const float *row, Py_ssize_t size) noexcept


def add_names(
    float[:, ::1] out, const float[:, ::1] around, const float[:, ::1] own,
    const int[::1] found, const int[:, ::1] ends, const int[::1] parent,
    const int[::1] named_rows, const int[::1] called, const int[::1] first,
):
    """Adds the weights of the names of all elements around each segment, and those of the innermost
    element that has a name. `found` and `ends` are those of `words.fill_names`."""
    cdef Py_ssize_t named = named_rows.shape[0], roles = out.shape[1], at = 0, i, row, k, up
    cdef int[::1] nearest = np.full(parent.shape[0], -1, dtype=np.int32)
    cdef float[:, ::1] down = np.zeros((named, roles), dtype=np.float32)
    cdef float[:, ::1] inner = np.zeros((named, roles), dtype=np.float32)
    for row in range(parent.shape[0]):
        up = nearest[parent[row]] if parent[row] >= 0 else -1
        nearest[row] = up
        if at < named and named_rows[at] == row:
            if up >= 0:
                down[at, :] = down[up, :]
            if ends[1, called[at]]:
                add_words(down[at], around, found, ends, called[at])
                add_words(inner[at], own, found, ends, called[at])
            elif up >= 0:
                inner[at, :] = inner[up, :]
            nearest[row] = at
            at += 1
    for i in range(first.shape[0]):
        up = nearest[first[i]]
        if up >= 0:
            for k in range(roles):
                out[i, k] += down[up, k] + inner[up, k]


cdef void add_words(
    float[::1] out, const float[:, ::1] weights, const int[::1] found, const int[:, ::1] ends,
    Py_ssize_t item,
) noexcept:
    """Adds the weights of the words of one item."""
    cdef Py_ssize_t at, start = ends[0, item - 1] if item else 0
    for at in range(start, ends[0, item]):
        add_row(&out[0], &weights[found[at], 0], out.shape[0])


def add_texts(
    float[:, ::1] out, const float[:, ::1] text, const float[:, ::1] heading,
    const float[:, ::1] first_line, const int[::1] found, const int[:, ::1] ends,
    const unsigned char[::1] is_heading, const int[::1] low, const int[:, ::1] top,
    Py_ssize_t levels,
):
    """Adds the weights of each segment's words, of those of the heading above it, and of the first
    lines of the containers on the first levels. `found` and `ends` are those of
    `words.fill_texts`."""
    cdef Py_ssize_t i, k, level, line, row, last = -1, roles = out.shape[1]
    cdef float[::1] above = np.zeros(roles, dtype=np.float32)
    for i in range(out.shape[0]):
        add_words(out[i], text, found, ends, i)
        row = ends[1, i]
        for k in range(roles):
            out[i, k] += text[row, k] + above[k]
        for level in range(1, levels + 1):
            line = low[top[level, i]]
            if line != i:
                row = ends[1, line]
                if row:
                    for k in range(roles):
                        out[i, k] += first_line[row, k]
        if is_heading[i]:
            row = ends[1, i]
            above[:] = heading[row, :]
            add_words(above, heading, found, ends, i)


def find_bins(
    int[:, ::1] out, const float[:, ::1] table, const int[::1] columns,
    const float[::1] borders, const int[::1] ends,
):
    """Fills in, for each of the columns, how many of its borders are at most each value."""
    cdef Py_ssize_t at, i, border, count = out.shape[1]
    cdef const float *value
    cdef int *bin
    cdef float limit
    out[:, :] = 0
    for at in range(columns.shape[0] if count else 0):
        value, bin = &table[columns[at], 0], &out[at, 0]
        for border in range(ends[at - 1] if at else 0, ends[at]):
            limit = borders[border]
            for i in range(count):  # without a branch: the compiler makes vectors of it
                bin[i] += limit <= value[i]


cdef class PairRows:
    """The row of each column in the table."""

    cdef public int score, link_share, words, title_coverage, heading_score, from_kept
    cdef public int thread_share, block_tag, in_td, in_th, in_blockquote, in_li, in_dl
    cdef public int in_figcaption, in_pre, in_code, in_h1, in_h2, in_h3, in_h4
    cdef public const int[::1] types  # of pages
    cdef public const int[::1] forms  # for each tag: what a segment in such a block is made of


cdef enum:
    PLAIN, IN_CELL, QUOTED, IN_LIST, CAPTION, CODE, MAIN_HEADING, HEADING, TERM

cdef double[5] SCORES = [0.08, 0.25, 0.5, 0.75, 0.92]
cdef double[3] LINKS = [0.1, 0.7, 0.99]
cdef double[4] WORDS = [1.2, 2.0, 2.8, 3.6]
cdef double[3] TITLES = [0.3, 0.7, 0.95]
cdef double[3] HEADINGS = [-0.5, 0.3, 0.7]
cdef double[6] FROM_KEPT = [-3, -1, -0.2, 0.2, 1, 3]
PAIRS = 18
HEADING_FORM, TERM_FORM = HEADING, TERM


def fill_pairs(PairRows rows, int[:, ::1] out, const float[:, ::1] table):
    """Fills in the pairs of what matters most: what a segment is made of, its score, its links, its
    length; and what the segments before and after it are made of."""
    cdef Py_ssize_t i, count = out.shape[1]
    cdef int form, score, links, words, title, heading, kept, kind, thread
    for i in range(count):
        out[0, i] = find_form(rows, table, i)
    for i in range(count):
        form = out[0, i]
        score = count_borders(SCORES, 5, table[rows.score, i])
        links = count_borders(LINKS, 3, table[rows.link_share, i])
        words = count_borders(WORDS, 4, table[rows.words, i])
        title = count_borders(TITLES, 3, table[rows.title_coverage, i])
        heading = count_borders(HEADINGS, 3, table[rows.heading_score, i])
        kept = count_borders(FROM_KEPT, 6, table[rows.from_kept, i])
        kind = find_largest(rows.types, table, i)
        thread = table[rows.thread_share, i] > 0
        out[1, i], out[2, i], out[3, i] = 10 * form + score, 10 * form + links, 10 * form + words
        out[4, i], out[5, i] = 10 * score + kind, 10 * score + links
        out[6, i], out[7, i] = 10 * score + words, 10 * form + kind
        out[8, i] = 100 * form + 10 * score + links
        out[9, i] = 100 * score + 10 * links + words
        out[10, i] = 10 * score + heading
        out[11, i], out[12, i] = 10 * kept + words, 10 * kept + links
        out[13, i] = 10 * title + form
        out[14, i] = 10 * out[0, i - 1 if i else count - 1] + form
        out[15, i] = 10 * out[0, i + 1 if i + 1 < count else 0] + form
        out[16, i] = 100 * thread + 10 * form + kind
        out[17, i] = 100 * thread + 10 * score + links


cdef int count_borders(const double *borders, int count, double value) noexcept:
    """How many borders are at most this value."""
    cdef int i, found = 0
    for i in range(count):
        found += borders[i] <= value
    return found


cdef int find_largest(const int[::1] rows, const float[:, ::1] table, Py_ssize_t i) noexcept:
    """Which of these rows has the largest value for a segment; the first of equal ones."""
    cdef int at, best = 0
    for at in range(1, <int> rows.shape[0]):
        if table[rows[at], i] > table[rows[best], i]:
            best = at
    return best


cdef int find_form(PairRows rows, const float[:, ::1] table, Py_ssize_t i) noexcept:
    """What a segment is made of: the form of its block's tag, else what is around it tells."""
    cdef int tag = <int> table[rows.block_tag, i], last = <int> rows.forms.shape[0] - 1
    cdef int own = rows.forms[min(max(tag, 0), last)]
    if own:
        return own
    if table[rows.in_h2, i] > 0 or table[rows.in_h3, i] > 0 or table[rows.in_h4, i] > 0:
        return HEADING
    if table[rows.in_h1, i] > 0:
        return MAIN_HEADING
    if table[rows.in_pre, i] > 0 or (table[rows.in_code, i] > 0 and not table[rows.in_li, i] > 0):
        return CODE
    if table[rows.in_figcaption, i] > 0:
        return CAPTION
    if table[rows.in_li, i] > 0 or table[rows.in_dl, i] > 0:
        return IN_LIST
    if table[rows.in_blockquote, i] > 0:
        return QUOTED
    return IN_CELL if table[rows.in_td, i] > 0 or table[rows.in_th, i] > 0 else PLAIN


def add_values(
    float[:, ::1] out, const float[:, ::1] weights, const int[:, ::1] values,
    const int[::1] starts,
):
    """Adds the weights of each value of each segment; those of a column begin at its start and go
    on to that of the next, and a larger value counts as the largest."""
    cdef Py_ssize_t at, i, row
    for at in range(values.shape[0]):  # the weights of one column after the other stay close by
        for i in range(out.shape[0]):
            row = min(starts[at] + max(values[at, i], 0), starts[at + 1] - 1)
            add_row(&out[i, 0], &weights[row, 0], out.shape[1])


def fill_means(float[:, ::1] out, const float[:, ::1] chance, const int[::1] group, int groups):
    """Fills in, for each segment, the mean of each role over the segments of its group."""
    cdef Py_ssize_t i, k
    cdef float[:, ::1] total = np.zeros((groups, chance.shape[1]), dtype=np.float32)
    cdef int[::1] count = np.zeros(groups, dtype=np.int32)
    for i in range(chance.shape[0]):
        count[group[i]] += 1
        for k in range(chance.shape[1]):
            total[group[i], k] += chance[i, k]
    for i in range(chance.shape[0]):
        for k in range(chance.shape[1]):
            out[i, k] = total[group[i], k] / count[group[i]]
