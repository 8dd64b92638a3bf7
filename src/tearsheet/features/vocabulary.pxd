cimport cython

cdef int _SMALL
cdef const double[::1] _LOG1P

@cython.locals(
    at=Py_ssize_t, size=Py_ssize_t, row=Py_ssize_t, above=Py_ssize_t, i=Py_ssize_t,
    number=Py_ssize_t, low=double, high=double,
)
cdef _inherit(
    double[:, ::1] down, const int[::1] parent, const int[::1] rows, const int[::1] called,
    const double[:, ::1] values, const int[::1] counts,
)

@cython.locals(i=Py_ssize_t, row=Py_ssize_t, level=Py_ssize_t, above=Py_ssize_t)
cdef _fill_named(
    float[:, ::1] out, float[:, ::1] weighed, const double[:, ::1] down, const int[::1] parent,
    const int[::1] first, const int[:, ::1] bottom, const int[:, ::1] top,
)

@cython.locals(head=Py_ssize_t, i=Py_ssize_t, level=Py_ssize_t)
cdef _fill_weighed(
    float[:, ::1] out, const float[:, ::1] weights, const unsigned char[::1] heads,
    const int[:, ::1] first,
)

@cython.locals(head=Py_ssize_t, chief=Py_ssize_t, i=Py_ssize_t)
cdef _fill_above(
    float[:, ::1] out, const float[::1] whole, const float[::1] mean,
    const unsigned char[::1] tag, const unsigned char[::1] heads, const unsigned char[::1] chiefs,
)
