cimport cython

cdef int _AROUND, _LABEL

@cython.locals(found=list, others=list, i=Py_ssize_t, text=str)
cdef tuple _single_words(list texts)

@cython.locals(i=Py_ssize_t, row=Py_ssize_t)
cdef int _look_around(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] attrs_at,
    const int[::1] blocks, const unsigned char[::1] apart, const unsigned char[::1] names,
    unsigned char[::1] asked, unsigned char[::1] found,
) except -1
