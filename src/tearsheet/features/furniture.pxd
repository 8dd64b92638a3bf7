cimport cython

cdef int _H1, _ALWAYS, _OUTSIDE, _HEADLESS, _PART, _WHOLE

@cython.locals(
    rows=Py_ssize_t, row=Py_ssize_t, part=Py_ssize_t, found=int, bits=int, stop=Py_ssize_t,
)
cdef int _mark(
    const unsigned char[::1] tag, const int[::1] end, const unsigned char[::1] called,
    const int[:, ::1] before, const unsigned char[::1] meaning, int enough,
    unsigned char[::1] stays,
) except -1

cdef bint _leaves_a_text(int held, int all_words, int enough) noexcept

@cython.locals(size=Py_ssize_t, at=Py_ssize_t, told=int, heads=int, row=Py_ssize_t)
cdef int _sum_up(
    const unsigned char[::1] tag, const int[::1] first, const int[::1] words, int[:, ::1] before,
) except -1

@cython.locals(rows=Py_ssize_t, at=Py_ssize_t, row=Py_ssize_t)
cdef int _take(
    const unsigned char[::1] stays, const unsigned char[::1] tag, const int[::1] parent,
    const int[::1] end, const int[::1] depth, const int[::1] attrs_at, const int[::1] breaks,
    int[::1] number, unsigned char[::1] tags, int[:, ::1] columns,
) except -1
