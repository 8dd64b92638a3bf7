cimport cython

ctypedef unsigned long long Number

@cython.locals(
    rows=Py_ssize_t, size=Py_ssize_t, at=Py_ssize_t, row=Py_ssize_t, above=Py_ssize_t,
)
cdef _nest(
    const int[::1] first, const int[::1] parent, const int[::1] end,
    int[::1] begun, int[::1] high, int[::1] top,
)

cdef int _DIVISION
cdef Number _ALL

@cython.locals(
    different=Py_ssize_t, i=Py_ssize_t, row=Py_ssize_t, level=Py_ssize_t, division=int,
)
cdef Py_ssize_t _climb(
    const int[::1] block, const int[::1] parent, const int[::1] top, const unsigned char[::1] tag,
    const int[::1] attrs_at, int[:, ::1] tops, int[:, ::1] bottoms, int[:, ::1] number, int[::1] each,
    int[::1] numbers,
)

@cython.locals(
    found=list, numbers=dict, count=Py_ssize_t, row=Py_ssize_t, at=Py_ssize_t,
)
cdef tuple _called(
    list all_attrs, const int[::1] attrs_at, const int[::1] begun, const int[::1] high,
    int[::1] rows, int[::1] called, int[::1] classes, int[:, ::1] numbers_of,
)

@cython.locals(start=Py_ssize_t, number=Number, at=Py_ssize_t, stop=Py_ssize_t, sign=Py_UCS4)
cpdef Number _class(str raw) except? 1

@cython.locals(start=Py_ssize_t)
cpdef str attribute(str raw, str opening)

@cython.locals(numbers=dict, tags=Py_ssize_t, i=Py_ssize_t, row=Py_ssize_t)
cdef Py_ssize_t _kinds(const int[::1] rows, const int[::1] classes, int[::1] kind)

@cython.locals(
    rows=Py_ssize_t, families=Py_ssize_t, parent=Py_ssize_t, child=Py_ssize_t, stop=Py_ssize_t,
    own=Py_ssize_t,
)
cdef Py_ssize_t _families(
    const int[::1] end, const int[::1] kind, int[::1] seen, int[::1] given, int[::1] family,
)

@cython.locals(numbers=dict, seen=list, i=Py_ssize_t, number=Py_ssize_t)
cdef _copies(list texts, int[::1] copy, int[::1] nth)
