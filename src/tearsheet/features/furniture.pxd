cimport cython

cdef int _NAV, _HEADER, _FOOTER

@cython.locals(
    known=dict, rows=list, row=Py_ssize_t, raw=str, nav=int, header=int, footer=int, code=int,
)
cdef list _called_so(const unsigned char[::1] tag, list attrs)

cdef bint _is_furniture(str attrs) except -1
