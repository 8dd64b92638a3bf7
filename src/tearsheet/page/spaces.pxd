cimport cython

cdef int TEXT

@cython.locals(row=int, before=int, until=int)
cdef int _space(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] end, const int[::1] breaks,
    list text, const unsigned char[::1] verbatim,
) except -1

@cython.locals(last=Py_UCS4, first=Py_UCS4)
cdef bint _apart(str left, str right) except -1
