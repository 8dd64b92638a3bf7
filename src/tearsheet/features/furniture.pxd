cimport cython

cdef int _H1, _ALWAYS, _OUTSIDE, _HEADLESS, _PART, _WHOLE

@cython.locals(
    known=dict, rows=Py_ssize_t, size=Py_ssize_t, row=Py_ssize_t, at=Py_ssize_t, part=Py_ssize_t,
    found=int, bits=int, raw=str, stop=Py_ssize_t, held=long, after=Py_ssize_t,
)
cdef int _mark(
    const unsigned char[::1] tag, const int[::1] end, list attrs, const int[::1] first,
    const int[::1] words, long all_words, const unsigned char[::1] meaning,
    unsigned char[::1] stays,
) except -1

@cython.locals(h1=int)
cdef bint _has_h1(const unsigned char[::1] tag, Py_ssize_t row, Py_ssize_t stop) except -1

cdef bint _is_furniture(str attrs) except -1
