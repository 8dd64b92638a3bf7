# cython: boundscheck=False, wraparound=False
"""Sums of weights: how much each word and each value of a segment speaks for each role.

A word is given as the row of its weights; row 0 is for unknown words, and its weights are zero.
"""

import numpy as np

from libc.string cimport memcpy

from tearsheet import types

cdef extern from *:
    """
    enum { ROLES = 26 };  /* a constant, so that the compiler can vectorise all loops over it */
    enum { TOGETHER = 4 };

    static void add_row(float *restrict to, const float *restrict row) {
        for (int i = 0; i < ROLES; i++) to[i] += row[i];
    }

    /* Adds several rows, one after the other. */
    static void add_rows(float *restrict to, const float **rows) {
        const float *restrict a = rows[0], *restrict b = rows[1];
        const float *restrict c = rows[2], *restrict d = rows[3];
        for (int i = 0; i < ROLES; i++) to[i] = to[i] + a[i] + b[i] + c[i] + d[i];
    }

    static void subtract_largest(float *row) {
        float largest = row[0];
        for (int i = 1; i < ROLES; i++) largest = row[i] > largest ? row[i] : largest;
        for (int i = 0; i < ROLES; i++) row[i] -= largest;
    }

    /* Adds up in the order of NumPy, in eight parts, so that the result is the same. */
    static void divide_by_sum(float *row) {
        float part[8], sum;
        int i, k;
        for (k = 0; k < 8; k++) part[k] = row[k];
        for (i = 8; i + 8 <= ROLES; i += 8)
            for (k = 0; k < 8; k++) part[k] += row[i + k];
        sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
        for (; i < ROLES; i++) sum += row[i];
        for (i = 0; i < ROLES; i++) row[i] /= sum;
    }
    """
    enum: ROLES
    enum: TOGETHER
    void add_row(float *to, const float *row) noexcept
    void add_rows(float *to, const float **rows) noexcept
    void subtract_largest(float *row) noexcept
    void divide_by_sum(float *row) noexcept

ctypedef const float *Weights

if len(types.ROLES) != ROLES:
    raise ImportError(f"_core/roles.pyx is written for {ROLES} roles, not {len(types.ROLES)}")


cdef class WordWeights:
    """The weights that words have in one place, such as headings. Most words have none."""

    cdef readonly object weights  # a row for each word that has weights, after a row of zeros
    cdef readonly object rows  # the row of each word of the vocabulary; 0: none
    cdef const float *weight
    cdef const int *row

    def __cinit__(self, const float[:, ::1] weights, const int[::1] rows):
        check_width(weights)
        self.weights, self.rows = weights, rows
        self.weight, self.row = &weights[0, 0], &rows[0]

    cdef const float *find(self, Py_ssize_t word) noexcept:
        """The weights of a word."""
        return self.weight + ROLES * self.row[word]

    cdef void add(
        self, float *out, const int[::1] found, const int[:, ::1] ends, Py_ssize_t item
    ) noexcept:
        """Adds the weights of the words of one item."""
        cdef Py_ssize_t at, start = ends[0, item - 1] if item else 0
        for at in range(start, ends[0, item]):
            if self.row[found[at]]:
                add_row(out, self.find(found[at]))


cdef int check_width(const float[:, ::1] table) except -1:
    """Raises `ValueError` unless a table has one column for each role."""
    if table.shape[1] != ROLES:
        raise ValueError(f"{table.shape[1]} roles instead of {ROLES}")
    return 0


def add_names(
    float[:, ::1] out, WordWeights around, WordWeights own,
    const int[::1] found, const int[:, ::1] ends, const int[::1] parent,
    const int[::1] named_rows, const int[::1] called, const int[::1] first,
):
    """Adds to each segment the weights of the names of all elements around it, and those of the
    innermost element that has a name. `found` and `ends` come from `words.fill_names`."""
    cdef Py_ssize_t named = named_rows.shape[0], at = 0, i, row, k, up
    cdef int[::1] nearest = np.empty(parent.shape[0], dtype=np.int32)
    cdef float[:, :, ::1] sums = np.zeros((named, 2, ROLES), dtype=np.float32)
    cdef float *here
    cdef float *above
    check_width(out)
    for row in range(parent.shape[0]):
        up = nearest[parent[row]] if parent[row] >= 0 else -1
        nearest[row] = up
        if at < named and named_rows[at] == row:
            here = &sums[at, 0, 0]
            if up >= 0:
                memcpy(here, &sums[up, 0, 0], ROLES * sizeof(float))
            if ends[1, called[at]]:
                around.add(here, found, ends, called[at])
                own.add(here + ROLES, found, ends, called[at])
            elif up >= 0:
                memcpy(here + ROLES, &sums[up, 1, 0], ROLES * sizeof(float))
            nearest[row] = at
            at += 1
    for i in range(first.shape[0]):
        up = nearest[first[i]]
        if up >= 0:
            above, here = &sums[up, 0, 0], &out[i, 0]
            for k in range(ROLES):
                here[k] += above[k] + above[ROLES + k]


def add_texts(
    float[:, ::1] out, WordWeights text, WordWeights heading, WordWeights first_line,
    const int[::1] found, const int[:, ::1] ends, const unsigned char[::1] is_heading,
    const int[::1] low, const int[:, ::1] top, Py_ssize_t levels,
):
    """Adds to each segment the weights of its words, of the words of the heading above it, and of
    the first lines of its containers on the first levels. `found` and `ends` come from
    `words.fill_texts`."""
    cdef Py_ssize_t i, k, level, line
    cdef float[ROLES] above
    cdef float *here
    cdef const float *label
    check_width(out)
    for k in range(ROLES):
        above[k] = 0
    for i in range(out.shape[0]):
        here = &out[i, 0]
        text.add(here, found, ends, i)
        label = text.find(ends[1, i])
        for k in range(ROLES):
            here[k] += label[k] + above[k]
        for level in range(1, levels + 1):
            line = low[top[level, i]]
            if line != i and first_line.row[ends[1, line]]:
                add_row(here, first_line.find(ends[1, line]))
        if is_heading[i]:
            memcpy(above, heading.find(ends[1, i]), sizeof(above))
            heading.add(above, found, ends, i)


def find_bins(
    int[:, ::1] out, const float[:, ::1] table, const int[::1] columns,
    const float[::1] borders, const int[::1] ends,
):
    """Fills in how many borders of its column each value reaches."""
    cdef Py_ssize_t at, i, border, count = out.shape[1]
    cdef const float *value
    cdef int *bin
    cdef float limit
    out[:, :] = 0
    for at in range(columns.shape[0] if count else 0):
        value, bin = &table[columns[at], 0], &out[at, 0]
        for border in range(ends[at - 1] if at else 0, ends[at]):
            limit = borders[border]
            for i in range(count):  # no branch, so that the compiler can vectorise it
                bin[i] += limit <= value[i]


cdef class PairRows:
    """The row of each column in the table."""

    cdef public int score, link_share, words, title_coverage, heading_score, from_kept
    cdef public int thread_share, block_tag, in_td, in_th, in_blockquote, in_li, in_dl
    cdef public int in_figcaption, in_pre, in_code, in_h1, in_h2, in_h3, in_h4
    cdef public const int[::1] types  # of pages
    cdef public const int[::1] forms  # what a segment in a block of each tag is made of


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
    """Fills in pairs of what matters most: what a segment and its neighbours are made of, and its
    score, links and length."""
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
    """What a segment is made of, by the tag of its block; else by the elements around it."""
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
    """Adds to each segment the weights of its value in each column. The weights of a column reach
    from its start to that of the next; a value beyond them counts as the largest."""
    cdef Py_ssize_t at, i, k, columns = values.shape[0]
    cdef Weights[TOGETHER] rows
    check_width(out)
    check_width(weights)
    for at in range(0, columns, TOGETHER):  # the weights of a few columns stay close by
        for i in range(out.shape[0]):
            if at + TOGETHER <= columns:
                for k in range(TOGETHER):
                    rows[k] = find_value(weights, values, starts, at + k, i)
                add_rows(&out[i, 0], rows)
            else:
                for k in range(at, columns):
                    add_row(&out[i, 0], find_value(weights, values, starts, k, i))


cdef const float *find_value(
    const float[:, ::1] weights, const int[:, ::1] values, const int[::1] starts,
    Py_ssize_t column, Py_ssize_t i,
) noexcept:
    """The weights of the value that a segment has in a column."""
    return &weights[min(starts[column] + max(values[column, i], 0), starts[column + 1] - 1), 0]


def to_chances(float[:, ::1] odds):
    """Turns log-odds into probabilities that add up to one, in place."""
    cdef Py_ssize_t i
    check_width(odds)
    for i in range(odds.shape[0]):
        subtract_largest(&odds[i, 0])
    np.exp(odds, out=odds.base)
    for i in range(odds.shape[0]):
        divide_by_sum(&odds[i, 0])


def fill_terms(
    float[:, :, ::1] terms, const float[:, ::1] chance, const int[:, ::1] groups, int most,
    float least,
):
    """Fills in logarithms of probabilities: the segment's own, their means over each of its groups,
    and those of the segments before and after it. `least` is added to each, for there is no
    logarithm of zero."""
    cdef Py_ssize_t i, k, level, count = chance.shape[0], levels = groups.shape[0]
    check_width(chance)
    for i in range(count):
        for k in range(ROLES):
            terms[0, i, k] = chance[i, k] + least
    for level in range(levels):
        fill_means(terms[level + 1], chance, groups[level], most, least)
    logs = np.asarray(terms)[: levels + 1]
    np.log(logs, out=logs)
    for i in range(count):
        memcpy(&terms[levels + 1, i, 0], &terms[0, max(i - 1, 0), 0], ROLES * sizeof(float))
        memcpy(&terms[levels + 2, i, 0], &terms[0, min(i + 1, count - 1), 0], ROLES * sizeof(float))


cdef int fill_means(
    float[:, ::1] out, const float[:, ::1] chance, const int[::1] group, int groups, float least
) except -1:
    """Fills in, for each segment, the mean probability of each role in its group, plus `least`."""
    cdef Py_ssize_t i, k
    cdef float[:, ::1] total = np.zeros((groups, ROLES), dtype=np.float32)
    cdef int[::1] count = np.zeros(groups, dtype=np.int32)
    for i in range(chance.shape[0]):
        count[group[i]] += 1
        add_row(&total[group[i], 0], &chance[i, 0])
    for i in range(chance.shape[0]):
        for k in range(ROLES):
            out[i, k] = total[group[i], k] / count[group[i]] + least
    return 0


def add_terms(float[:, ::1] out, const float[:, :, ::1] terms, const float[:, ::1] weights):
    """Fills in the sum of the terms times their weights, plus the last row of weights."""
    cdef Py_ssize_t i, k, term, count = terms.shape[0]
    cdef const float *weight
    check_width(out)
    for i in range(out.shape[0]):
        for k in range(ROLES):
            out[i, k] = terms[0, i, k] * weights[0, k]
        for term in range(1, count):
            for k in range(ROLES):
                out[i, k] += terms[term, i, k] * weights[term, k]
        add_row(&out[i, 0], &weights[count, 0])
