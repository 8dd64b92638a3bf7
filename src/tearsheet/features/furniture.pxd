cimport cython

cdef int _ALWAYS, _OUTSIDE, _HEADLESS, _PART, _WHOLE

@cython.locals(
    known=dict, rows=Py_ssize_t, row=Py_ssize_t, part=Py_ssize_t, found=int, bits=int, raw=str,
    stop=Py_ssize_t,
)
cdef int _mark(
    const unsigned char[::1] tag, const int[::1] end, list attrs, const int[::1] words,
    const int[::1] heads, const unsigned char[::1] meaning, unsigned char[::1] stays,
) except -1

cdef bint _is_furniture(str attrs) except -1
