cimport cython

cdef const double[::1] _LOG1P, _LOG2
cdef const unsigned char[::1] _KIND, _IS_HEADING
cdef const int[::1] _PLACE, _MARK, _PAGE_PLACE
cdef int LONG, _MARKS, _GROUP, _H1, _P, _CHARS, _LINKS, _WORDS, _LONGS, _MONEY
cdef double LABEL

cdef double log1p(long long count)
cdef double log2(long long count)

cdef class _Evidence:
    cdef float[:, ::1] out
    cdef Py_ssize_t size, rows, head, heads
    cdef const unsigned char[::1] tag, hidden
    cdef const int[::1] parent, end, first, block, chars, words, links
    cdef const int[::1] each, low, high, family, copy, nth
    cdef const int[:, ::1] number, top, bottom
    cdef long long[:, ::1] sums
    cdef int[:, ::1] marks
    cdef int[::1] depth, alike
    cdef long long[::1] told

    @cython.locals(out="float[:, ::1]", chars="const int[::1]", words="const int[::1]",
                   links="const int[::1]", copy="const int[::1]", copies="int[::1]", i=Py_ssize_t)
    cdef int own(self, Py_ssize_t at) except -1
    @cython.locals(out="float[:, ::1]", found="int[::1]", i=Py_ssize_t, text=str, size=Py_ssize_t,
                   kind=Py_ssize_t, sign=Py_UCS4)
    cdef int letters(self, Py_ssize_t at, list texts) except -1
    @cython.locals(out="float[:, ::1]", size=Py_ssize_t, kinds=Py_ssize_t, row=Py_ssize_t,
                   kind=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t, i=Py_ssize_t)
    cdef int ancestors(self, Py_ssize_t at) except -1
    @cython.locals(sums="long long[:, ::1]", long=int, i=Py_ssize_t)
    cdef int count_segments(self, Py_ssize_t money) except -1
    @cython.locals(marks="int[:, ::1]", sums="long long[:, ::1]", depth="int[::1]",
                   row=Py_ssize_t, code=int, start=Py_ssize_t, stop=Py_ssize_t, own=Py_ssize_t,
                   above=Py_ssize_t, mark=Py_ssize_t, grows=bint)
    cdef int count_rows(self) except -1
    @cython.locals(out="float[:, ::1]", number="const int[:, ::1]", held="float[:, ::1]",
                   levels=Py_ssize_t, name=Py_ssize_t, level=Py_ssize_t, i=Py_ssize_t,
                   tag=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t, low=Py_ssize_t,
                   high=Py_ssize_t)
    cdef int levels(self, Py_ssize_t at) except -1
    @cython.locals(held="float[:, ::1]", sums="long long[:, ::1]", marks="int[:, ::1]",
                   whole=cython.longlong, i=Py_ssize_t, row=Py_ssize_t, start=Py_ssize_t,
                   stop=Py_ssize_t, after=Py_ssize_t, count=Py_ssize_t, chars=cython.longlong,
                   mark=Py_ssize_t)
    cdef float[:, ::1] held(self)
    @cython.locals(longest=Py_ssize_t, i=Py_ssize_t, gain=int)
    cdef int meetings(self, Py_ssize_t at) except -1
    @cython.locals(top="const int[:, ::1]", end="const int[::1]", levels=Py_ssize_t, i=Py_ssize_t,
                   level=Py_ssize_t)
    cdef int meet(self, Py_ssize_t at, Py_ssize_t row) except -1
    @cython.locals(out="float[:, ::1]", whole=cython.longlong, largest=Py_ssize_t,
                   most=cython.longlong, own=Py_ssize_t, level=Py_ssize_t, i=Py_ssize_t,
                   row=Py_ssize_t)
    cdef int repeated(self, Py_ssize_t at) except -1
    @cython.locals(out="float[:, ::1]", size=Py_ssize_t, chars=cython.longlong,
                   gain="double[::1]", i=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t,
                   head=Py_ssize_t, far=Py_ssize_t)
    cdef int position(self, Py_ssize_t at) except -1
    @cython.locals(total="double[:, ::1]", i=Py_ssize_t, place=Py_ssize_t, width=Py_ssize_t,
                   low=Py_ssize_t, high=Py_ssize_t, column=Py_ssize_t, mean=double)
    cdef int neighbours(self, Py_ssize_t at) except -1
    @cython.locals(out="float[:, ::1]", home="const int[:, ::1]", words="const int[::1]",
                   links="const int[::1]", chars="const int[::1]", tag="const unsigned char[::1]",
                   block="const int[::1]", i=Py_ssize_t, there=Py_ssize_t)
    cdef int look(self, Py_ssize_t at, Py_ssize_t step) except -1
    @cython.locals(out="float[:, ::1]", sums="long long[:, ::1]", size=Py_ssize_t,
                   start=Py_ssize_t, number=Py_ssize_t, stop=Py_ssize_t, words=cython.longlong,
                   chars=cython.longlong, i=Py_ssize_t)
    cdef int sections(self, Py_ssize_t at) except -1
    @cython.locals(sums="long long[:, ::1]", size=Py_ssize_t, chars=cython.longlong,
                   long=cython.longlong, paragraphs=cython.longlong, hidden=cython.longlong,
                   counts="int[::1]", i=Py_ssize_t, row=Py_ssize_t, kind=Py_ssize_t)
    cdef int page(self, Py_ssize_t at) except -1
    @cython.locals(i=Py_ssize_t)
    cdef int same(self, Py_ssize_t at, double value) except -1

@cython.locals(
    starts=list, i=Py_ssize_t, text=str, at=Py_ssize_t, missing=Py_ssize_t,
)
cdef list _starts(list texts)
