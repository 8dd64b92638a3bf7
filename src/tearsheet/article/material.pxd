cimport cython

cdef int TEXT, _A, _TABLE, _SHAPES, _IN_LINES, _CELL, _HIDES

@cython.locals(
    size=Py_ssize_t, at=Py_ssize_t, hidden=Py_ssize_t, row=Py_ssize_t, code=int,
)
cdef int _mark(
    const unsigned char[::1] tag, const int[::1] end, const unsigned char[::1] meaning,
    const int[::1] first, const int[::1] last, unsigned char[::1] text, int[::1] segment,
) except -1

@cython.locals(row=Py_ssize_t, bits=int)
cdef int _choose(
    const unsigned char[::1] tag, const int[::1] end, const int[::1] parent, const int[::1] count,
    const unsigned char[::1] meaning, bint lines, unsigned char[::1] chosen,
) except -1

@cython.locals(row=Py_ssize_t)
cdef list _links(const unsigned char[::1] tag, const int[::1] end, const int[::1] count)

cdef bint _has_tex(list texts, list kept) except -1

@cython.locals(before=Py_ssize_t, i=Py_ssize_t, found=list)
cdef list _joins(
    const int[::1] breaks, const int[::1] first, const int[::1] last, const int[::1] block, list kept,
)

@cython.locals(row=Py_ssize_t)
cdef list _tables(const unsigned char[::1] tag, list rows)

@cython.locals(before=int, row=Py_ssize_t)
cdef int _sum_up(const unsigned char[::1] leaf, int[::1] count) except -1
