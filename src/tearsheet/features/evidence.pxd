cimport cython

cdef const double[::1] _LOG1P
cdef const double[::1] _LOG2
cdef const unsigned char[::1] _KIND

cdef double log1p(long long count)
cdef double log2(long long count)

@cython.locals(i=Py_ssize_t)
cdef _fill_own(
    float[:, ::1] out, const int[::1] chars, const int[::1] words, const int[::1] links,
    const int[::1] copy, const int[::1] nth, const int[::1] copies, const int[::1] hidden,
)

@cython.locals(i=Py_ssize_t, text=str, size=Py_ssize_t, kind=Py_ssize_t, sign=Py_UCS4)
cdef _letters(float[:, ::1] out, list texts, int[::1] found)

@cython.locals(size=Py_ssize_t, row=Py_ssize_t, kind=Py_ssize_t, i=Py_ssize_t)
cdef _count_around(
    float[:, ::1] out, const unsigned char[::1] tag, const int[::1] low, const int[::1] high,
    const int[::1] place, unsigned char[::1] seen,
)

@cython.locals(
    whole=cython.longlong, i=Py_ssize_t, row=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t,
    after=Py_ssize_t, count=Py_ssize_t, chars=cython.longlong, mark=Py_ssize_t,
)
cdef _hold(
    float[:, ::1] held, const int[::1] each, const int[::1] low, const int[::1] high,
    const int[::1] end, const int[::1] family, const long long[:, ::1] sums,
    const int[:, ::1] marks, const int[::1] alike,
)

@cython.locals(long=int, i=Py_ssize_t)
cdef _sum(
    long long[:, ::1] sums, const int[::1] chars, const int[::1] links, const int[::1] words,
    const float[::1] money,
)

@cython.locals(kind=Py_ssize_t, count=int, row=Py_ssize_t)
cdef _count_marks(int[:, ::1] marks, const unsigned char[::1] tag, const int[::1] kinds)

@cython.locals(
    row=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t, above=Py_ssize_t, grows=bint,
)
cdef _count_families(
    int[::1] alike, long long[::1] told, int[::1] depth, const int[::1] parent,
    const int[::1] low, const int[::1] high, const int[::1] family, const long long[::1] words,
)

@cython.locals(levels=Py_ssize_t, i=Py_ssize_t, level=Py_ssize_t)
cdef _meet(float[::1] out, Py_ssize_t row, const int[:, ::1] top, const int[::1] end)

@cython.locals(row=Py_ssize_t, i=Py_ssize_t)
cdef _mark(
    float[::1] out, Py_ssize_t chosen, const int[::1] family, const int[::1] low,
    const int[::1] high,
)

@cython.locals(size=Py_ssize_t, i=Py_ssize_t)
cdef _place(float[:, ::1] out, const long long[::1] before, Py_ssize_t head)

@cython.locals(i=Py_ssize_t)
cdef _lengths(
    double[::1] words, double[::1] links, const int[::1] word_count, const int[::1] link_chars,
    const int[::1] chars,
)

@cython.locals(size=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t)
cdef _look(
    float[:, ::1] out, Py_ssize_t step, const double[::1] words, const double[::1] links,
    const int[::1] tag, const int[::1] home,
)

@cython.locals(long=int, i=Py_ssize_t)
cdef _add_up(
    double[:, ::1] total, const double[::1] words, const double[::1] links,
    const int[::1] word_count,
)

@cython.locals(
    size=Py_ssize_t, i=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t, column=Py_ssize_t,
)
cdef _average(float[:, ::1] out, Py_ssize_t width, const double[:, ::1] total)

@cython.locals(
    size=Py_ssize_t, start=Py_ssize_t, number=Py_ssize_t, stop=Py_ssize_t, words=cython.longlong,
    i=Py_ssize_t,
)
cdef _fill_sections(float[:, ::1] out, const unsigned char[::1] heads, const long long[:, ::1] sums)

@cython.locals(
    starts=list, i=Py_ssize_t, text=str, at=Py_ssize_t, missing=Py_ssize_t,
)
cdef list _starts(list texts)
