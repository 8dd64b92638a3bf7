# cython: boundscheck=False, wraparound=False
"""The leaves of symmetric trees, found and added up for many rows at a time.

The loop that takes nearly all the time is written in C. So the compiler can be told to make it
twice: for any processor, and for those that compare eight numbers and look up eight leaves at once.
"""

cdef extern from *:
    """
    #include <stddef.h>

    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
    #if __has_attribute(target_clones)
    __attribute__((target_clones("avx2", "default")))
    #endif
    #endif
    static void add_six(
        const float *a, const float *b, const float *c, const float *d, const float *e,
        const float *f, const float *limit, const float *leaves, double *restrict total,
        ptrdiff_t rows
    ) {
        float in_a = limit[0], in_b = limit[1], in_c = limit[2];
        float in_d = limit[3], in_e = limit[4], in_f = limit[5];
        for (ptrdiff_t row = 0; row < rows; row++) {
            int leaf = (a[row] > in_a ? 1 : 0) | (b[row] > in_b ? 2 : 0)
                | (c[row] > in_c ? 4 : 0) | (d[row] > in_d ? 8 : 0)
                | (e[row] > in_e ? 16 : 0) | (f[row] > in_f ? 32 : 0);
            total[row] += leaves[leaf];
        }
    }
    """
    void add_six(
        const float *a, const float *b, const float *c, const float *d, const float *e,
        const float *f, const float *limit, const float *leaves, double *total, Py_ssize_t rows
    ) noexcept nogil

cdef enum:
    SIX = 6  # levels of the trees that the fast loop is for
    ROWS = 512  # taken together: with their columns, they fit into the processor's cache


def add_leaves(
    const short[:, ::1] feature, const float[:, ::1] border, const float[:, :, ::1] leaves,
    const float[:, ::1] columns, double[:, ::1] total,
):
    """Adds the leaf that each row reaches in each tree to the total of the row."""
    cdef Py_ssize_t start, rows, tree
    cdef const short *asks
    if columns_needed(feature) > columns.shape[0]:
        raise ValueError(f"the trees ask for more columns than the {len(columns)} there are")
    if feature.shape[1] != SIX or leaves.shape[2] != 1:
        add_any(feature, border, leaves, columns, total)
        return
    for start in range(0, total.shape[1], ROWS):
        rows = min(ROWS, total.shape[1] - start)
        for tree in range(feature.shape[0]):
            asks = &feature[tree, 0]
            add_six(
                &columns[asks[0], start], &columns[asks[1], start], &columns[asks[2], start],
                &columns[asks[3], start], &columns[asks[4], start], &columns[asks[5], start],
                &border[tree, 0], &leaves[tree, 0, 0], &total[0, start], rows,
            )


cdef Py_ssize_t columns_needed(const short[:, ::1] feature) noexcept:
    """How many columns the trees need."""
    cdef Py_ssize_t tree, level
    cdef short last = -1
    for tree in range(feature.shape[0]):
        for level in range(feature.shape[1]):
            last = max(last, feature[tree, level])
    return last + 1


cdef void add_any(
    const short[:, ::1] feature, const float[:, ::1] border, const float[:, :, ::1] leaves,
    const float[:, ::1] columns, double[:, ::1] total,
) noexcept:
    """Does the same for trees of any depth and any number of outputs, one row at a time."""
    cdef Py_ssize_t row, tree, level, output, leaf
    for row in range(total.shape[1]):
        for tree in range(feature.shape[0]):
            leaf = 0
            for level in range(feature.shape[1]):
                if columns[feature[tree, level], row] > border[tree, level]:
                    leaf |= <Py_ssize_t> 1 << level
            for output in range(total.shape[0]):
                total[output, row] += leaves[tree, leaf, output]
