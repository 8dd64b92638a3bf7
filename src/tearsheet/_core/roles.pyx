# cython: boundscheck=False, wraparound=False
"""Sums of weights: how much each word and each value of a segment speaks for each role.

A word is the row of its weights; row 0 is an unknown word, whose weights are zero.
"""

import numpy as np


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
    cdef Py_ssize_t at, k, row, start = ends[0, item - 1] if item else 0
    for at in range(start, ends[0, item]):
        row = found[at]
        for k in range(out.shape[0]):
            out[k] += weights[row, k]


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
    cdef Py_ssize_t at, i, start, stop, border
    cdef float value
    for at in range(columns.shape[0]):
        start, stop = ends[at - 1] if at else 0, ends[at]
        for i in range(out.shape[1]):
            value = table[columns[at], i]
            border = start
            while border < stop and borders[border] <= value:
                border += 1
            out[at, i] = <int> (border - start)


def add_values(
    float[:, ::1] out, const float[:, ::1] weights, const int[:, ::1] values,
    const int[::1] starts,
):
    """Adds the weights of each value of each segment; those of a column begin at its start and go
    on to that of the next, and a larger value counts as the largest."""
    cdef Py_ssize_t at, i, k, row
    for at in range(values.shape[0]):
        for i in range(out.shape[0]):
            row = min(starts[at] + max(values[at, i], 0), starts[at + 1] - 1)
            for k in range(out.shape[1]):
                out[i, k] += weights[row, k]


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
