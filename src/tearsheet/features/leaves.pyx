# cython: boundscheck=False, wraparound=False
"""The leaves of symmetric trees, found and added up for many rows at a time.

The one loop that most of the questions are asked in is C, because a compiler has to be told that
it may make it twice: for any processor, and for those that compare eight numbers at once.
"""

from libc.math cimport INFINITY
from libc.string cimport memset

cdef extern from *:
    """
    #include <stddef.h>

    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
    #if __has_attribute(target_clones)
    __attribute__((target_clones("avx2", "default")))
    #endif
    #endif
    static void two_answers(
        const float *one, float limit, const float *other, float other_limit, int bit,
        int *leaf, ptrdiff_t rows
    ) {
        for (ptrdiff_t row = 0; row < rows; row++)
            leaf[row] |= (one[row] > limit ? bit : 0) | (other[row] > other_limit ? 2 * bit : 0);
    }
    """
    void two_answers(
        const float *one, float limit, const float *other, float other_limit, int bit,
        int *leaf, Py_ssize_t rows
    ) noexcept nogil

cdef enum:
    ROWS = 128
    TREES = 32  # as many together as stay, with their leaves, in the processor's closest cache


def add(
    const short[:, ::1] feature, const float[:, ::1] border, const float[:, :, ::1] leaves,
    const float[:, ::1] columns, double[:, ::1] total,
):
    """Adds the leaf of each tree to the totals of each row, tree by tree."""
    cdef int leaf[TREES][ROWS]
    cdef Py_ssize_t start, rows, first, trees, tree, output
    cdef Py_ssize_t outputs = total.shape[0], size = leaves.shape[1] * outputs
    if asked(feature) > columns.shape[0]:
        raise ValueError(f"the trees ask for more columns than the {len(columns)} there are")
    for start in range(0, total.shape[1], ROWS):
        rows = min(ROWS, total.shape[1] - start)
        for first in range(0, feature.shape[0], TREES):
            trees = min(TREES, feature.shape[0] - first)
            for tree in range(trees):
                answer(feature, border, first + tree, columns, start, leaf[tree], rows)
            for output in range(outputs):
                add_up(
                    &leaves[first, 0, output], size, outputs, trees, leaf,
                    &total[output, start], rows,
                )


cdef Py_ssize_t asked(const short[:, ::1] feature) noexcept:
    """How many columns there must be."""
    cdef Py_ssize_t tree, level
    cdef short last = -1
    for tree in range(feature.shape[0]):
        for level in range(feature.shape[1]):
            last = max(last, feature[tree, level])
    return last + 1


cdef void answer(
    const short[:, ::1] feature, const float[:, ::1] border, Py_ssize_t tree,
    const float[:, ::1] columns, Py_ssize_t start, int *leaf, Py_ssize_t rows,
) noexcept:
    """The leaf of each row in a tree: its answers are the bits."""
    cdef Py_ssize_t level = 0, levels = feature.shape[1]
    memset(leaf, 0, rows * sizeof(int))
    while level < levels:
        if level + 1 < levels:
            two_answers(
                &columns[feature[tree, level], start], border[tree, level],
                &columns[feature[tree, level + 1], start], border[tree, level + 1],
                1 << level, leaf, rows,
            )
        else:
            two_answers(
                &columns[feature[tree, level], start], border[tree, level],
                &columns[feature[tree, level], start], INFINITY, 1 << level, leaf, rows,
            )
        level += 2


cdef void add_up(
    const float *leaves, Py_ssize_t size, Py_ssize_t step, Py_ssize_t trees,
    int leaf[TREES][ROWS], double *total, Py_ssize_t rows,
) noexcept:
    """Adds the leaves of some trees, four rows at a time: no sum waits for another."""
    cdef Py_ssize_t row = 0, tree
    cdef double a, b, c, d
    cdef const float *of_tree
    cdef const int *at
    while row + 4 <= rows:
        a, b, c, d = total[row], total[row + 1], total[row + 2], total[row + 3]
        of_tree = leaves
        for tree in range(trees):
            at = &leaf[tree][row]
            a += of_tree[at[0] * step]
            b += of_tree[at[1] * step]
            c += of_tree[at[2] * step]
            d += of_tree[at[3] * step]
            of_tree += size
        total[row], total[row + 1], total[row + 2], total[row + 3] = a, b, c, d
        row += 4
    while row < rows:
        for tree in range(trees):
            total[row] += leaves[tree * size + leaf[tree][row] * step]
        row += 1
