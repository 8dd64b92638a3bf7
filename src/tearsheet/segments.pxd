cimport cython

cdef bint _COMPILED
cdef int TEXT, _WRITTEN, _SHOWN, _APART, _LINKED, _UNSEEN, _LINK, _BLOCK

@cython.locals(row=Py_ssize_t, code=int, bits=int, apart=int, linked=int)
cdef int _look(
    const unsigned char[::1] tag, const int[::1] parent, const int[::1] end, list text,
    const unsigned char[::1] meaning, int written, unsigned char[::1] known, int[::1] block,
) except -1

@cython.locals(sign=Py_UCS4)
cdef bint _is_blank(str text) except -1

@cython.locals(hidden=list, until=int, shown=Py_ssize_t, row=Py_ssize_t)
cdef int _hide(
    const int[::1] attrs_at, const int[::1] end, const unsigned char[::1] hides,
    unsigned char[::1] known,
) except -1

@cython.locals(
    at=Py_ssize_t, size=Py_ssize_t, begin=Py_ssize_t, stop=Py_ssize_t, length=int, count=Py_ssize_t,
    line=str,
)
cdef int _gather(
    list rows, const int[::1] breaks, const unsigned char[::1] known, const int[::1] block, int wanted,
    list text, int[:, ::1] ints, unsigned char[::1] unseen,
) except -1

@cython.locals(sign=Py_UCS4, before=Py_UCS4)
cdef bint _is_plain(str line) except -1

@cython.locals(row=Py_ssize_t)
cdef str _line(list rows, const unsigned char[::1] known, Py_ssize_t begin, Py_ssize_t stop)

@cython.locals(i=Py_ssize_t, text=str)
cdef int _count(list texts, int[::1] words) except -1

@cython.locals(sign=Py_UCS4, count=int)
cdef int _unspaced(str text) except -1

cdef str _folded(str line)

@cython.locals(sign=Py_UCS4)
cdef bint _has_unseen(str line) except -1
