cimport cython

cdef int LABEL
cdef double CERTAIN

@cython.locals(i=Py_ssize_t)
cdef int _double(
    const unsigned char[::1] keep, const float[::1] share, const int[::1] words,
    const int[::1] copy, unsigned char[::1] seen, unsigned char[::1] doubled,
) except -1
