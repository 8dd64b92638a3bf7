cimport cython

@cython.locals(i=Py_ssize_t, word=str, value=double)
cdef _value_names(double[::1] worst, double[::1] best, list called, dict names)

@cython.locals(
    at=Py_ssize_t, size=Py_ssize_t, row=Py_ssize_t, above=Py_ssize_t, low=double, high=double,
)
cdef _inherit(
    double[:, ::1] down, const int[::1] parent, const int[::1] rows, const int[::1] called,
    const double[::1] worst, const double[::1] best,
)

@cython.locals(i=Py_ssize_t, row=Py_ssize_t, level=Py_ssize_t, above=Py_ssize_t)
cdef _fill_named(
    float[:, ::1] out, const double[:, ::1] down, const int[::1] parent, const int[::1] first,
    const int[:, ::1] bottom, const int[:, ::1] top,
)

@cython.locals(
    at=Py_ssize_t, i=Py_ssize_t, count=Py_ssize_t, worst=double, best=double, total=double,
    common=Py_ssize_t, word=str, value=double, short=bint,
)
cdef _said(
    float[:, ::1] out, list whole, list words, const int[::1] counts, dict texts, frozenset title,
)

@cython.locals(head=Py_ssize_t, chief=Py_ssize_t, i=Py_ssize_t)
cdef _fill_above(
    float[:, ::1] out, const float[::1] whole, const float[::1] mean,
    const unsigned char[::1] tag, const unsigned char[::1] heads, const unsigned char[::1] chiefs,
)

@cython.locals(i=Py_ssize_t, short=bint, before=Py_ssize_t)
cdef _speak(list lines, const int[::1] lengths, list whole, list words, int[::1] counts)

@cython.locals(start=Py_ssize_t, size=Py_ssize_t, at=Py_ssize_t, word=str)
cdef _add_words(list words, str line, bint short)
