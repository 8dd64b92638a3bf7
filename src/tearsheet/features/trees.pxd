cimport cython

@cython.locals(
    outputs=Py_ssize_t, rows=Py_ssize_t, size=Py_ssize_t, tree=Py_ssize_t, row=Py_ssize_t,
    level=Py_ssize_t, asked=Py_ssize_t, limit=float, output=Py_ssize_t, start=Py_ssize_t,
)
cdef _add(
    const short[:, ::1] feature, const float[:, ::1] border, const float[::1] leaves,
    const float[:, ::1] columns, int[::1] number, double[:, ::1] total,
)
