cimport cython

cdef class _Open:
    cdef public str name
    cdef public int row, end
    cdef public tuple style, runs
    cdef public object close
    cdef public list blocks, parts

cdef class _Builder:
    cdef public object material, page
    cdef public const unsigned char[::1] tag
    cdef public const int[::1] end, segments, breaks
    cdef public tuple style
    cdef public list stack, boxes, line, late
    cdef public bint spaced
    cdef public int first, last, segment, over

    @cython.locals(row=int, code=int, element=_Open)
    cpdef list run(self)
    @cython.locals(segment=int, raw=str, words=list, text=str, spaced=bint, whole=str)
    cpdef text(self, int row)
    cpdef put(self, int row, str text, bint spaced)
    @cython.locals(before=int, box=_Open)
    cpdef turn(self, int segment, int row)
    @cython.locals(runs=tuple, late=list)
    cpdef flush(self)
    @cython.locals(pieces=list, text=str, style=tuple)
    cpdef tuple runs(self)
    @cython.locals(box=_Open)
    cpdef add(self, block)
    @cython.locals(box=_Open)
    cpdef bint fits(self)
    @cython.locals(box=_Open)
    cpdef open(self, str name, int row, close)
    @cython.locals(element=_Open)
    cpdef close(self)
    cpdef origin(self, int row)
