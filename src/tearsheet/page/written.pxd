cimport cython

ctypedef unsigned long long Number

cdef int TEXT, OTHER, _BREAKING, _VOID, _OPAQUE, _PROGRAM

cdef class _Reader:
    cdef str source
    cdef const Number[::1] numbers_of
    cdef const unsigned char[::1] slots, meaning
    cdef Number factor, behind_eight
    cdef unsigned char[::1] tag
    cdef int[:, ::1] ints
    cdef int[::1] stack
    cdef Number[::1] numbers
    cdef list text, attrs, all_attrs, waiting
    cdef dict names, known
    cdef int level, row, breaks, within, room
    cdef Py_ssize_t behind

    @cython.locals(source=str, size=Py_ssize_t, at=Py_ssize_t, start=Py_ssize_t, sign=Py_UCS4)
    cdef bint read(self) except -1
    @cython.locals(stop=Py_ssize_t)
    cdef Py_ssize_t skip(self, Py_ssize_t start) except -2
    @cython.locals(
        source=str, closes=bint, name=Py_ssize_t, behind=Py_ssize_t, number=Number,
        stop=Py_ssize_t, code=int, meaning=int,
    )
    cdef Py_ssize_t tag_at(self, Py_ssize_t start) except -2
    @cython.locals(
        i=Py_ssize_t, size=Py_ssize_t, shift=int, number=Number, more=Number, sign=Py_UCS4,
        letter=Number,
    )
    cdef Number number_at(self, Py_ssize_t name) except? 0
    @cython.locals(stop=Py_ssize_t)
    cdef Py_ssize_t end_of(self, int code, Py_ssize_t start) except -2
    @cython.locals(stop=Py_ssize_t)
    cdef Py_ssize_t raw(self, int code, Py_ssize_t start) except -2
    @cython.locals(number=int)
    cdef int number_of(self, str attrs) except -1
    cdef int flush(self) except -1
    @cython.locals(row=int)
    cdef int add(self, int code, str text, int attrs) except -1
    cdef int grow(self) except -1
    cdef int open(self, Number number) except -1
    cdef bint close(self, Number number) except -1
