cimport cython

cdef const unsigned char[::1] _IS_HEADING, _IS_CHIEF
cdef const double[::1] _AGAINST, _CHANCE
cdef double SHARPER

cdef class _Context:
    cdef float[:, ::1] out
    cdef Py_ssize_t size
    cdef const float[::1] score
    cdef const double[::1] words
    cdef const unsigned char[::1] tag
    cdef const int[::1] order, block, each, low, high, kind, family, copy
    cdef const int[:, ::1] number, top, bottom
    cdef double[:, ::1] sums, totals
    cdef int[::1] group

    cdef int fill(self) except -1
    @cython.locals(sums="double[:, ::1]", score="const float[::1]", words="const double[::1]",
                   i=Py_ssize_t)
    cdef int sum(self) except -1
    @cython.locals(words=double, right=double)
    cdef double kept(self, Py_ssize_t low, Py_ssize_t high) except? -1
    @cython.locals(total=double)
    cdef double mean(self, Py_ssize_t low, Py_ssize_t high) except? -1
    @cython.locals(out="float[:, ::1]", score="const float[::1]", size=Py_ssize_t, i=Py_ssize_t,
                   place=Py_ssize_t, step=Py_ssize_t, width=Py_ssize_t, low=Py_ssize_t,
                   high=Py_ssize_t)
    cdef int near(self, Py_ssize_t at) except -1
    @cython.locals(out="float[:, ::1]", number="const int[:, ::1]", each="const int[::1]",
                   levels=Py_ssize_t, held="float[:, ::1]", i=Py_ssize_t, low=Py_ssize_t,
                   high=Py_ssize_t, level=Py_ssize_t)
    cdef int within(self, Py_ssize_t at) except -1
    @cython.locals(group="int[::1]", section=int, level=Py_ssize_t, i=Py_ssize_t)
    cdef int alike(self, Py_ssize_t at) except -1
    @cython.locals(group="int[::1]", totals="double[:, ::1]", score="const float[::1]",
                   i=Py_ssize_t, weight=double)
    cdef int mean_by(self, Py_ssize_t at, bint by_words) except -1
    @cython.locals(out="float[:, ::1]", copy="const int[::1]", best="float[::1]",
                   count="int[::1]", place=Py_ssize_t, i=Py_ssize_t, number=Py_ssize_t)
    cdef int copies(self, Py_ssize_t at) except -1
    @cython.locals(out="float[:, ::1]", size=Py_ssize_t, score="const float[::1]",
                   words="const double[::1]", expected_words="double[::1]", gain="double[::1]",
                   peak=Py_ssize_t, begin=Py_ssize_t, stop=Py_ssize_t, i=Py_ssize_t,
                   taken=Py_ssize_t, expected=double, place=Py_ssize_t, low=Py_ssize_t,
                   high=Py_ssize_t)
    cdef int against_page(self, Py_ssize_t at) except -1
    @cython.locals(out="float[:, ::1]", head=double, chief=double, i=Py_ssize_t, code=int,
                   level=Py_ssize_t)
    cdef int heads(self, Py_ssize_t at) except -1

cdef unsigned long long _MIX, _ALL

@cython.locals(
    size=Py_ssize_t, bits=int, count=int, last=Py_ssize_t, pairs="unsigned long long[::1]",
    numbers="int[::1]", i=Py_ssize_t, pair="unsigned long long", slot=Py_ssize_t,
)
cdef int _refine(
    int[::1] group, const int[::1] kind, const int[:, ::1] bottom, Py_ssize_t level,
) except -1

@cython.locals(
    size=Py_ssize_t, length="double[::1]", right="double[::1]", i=Py_ssize_t,
)
cdef int _fill_even(
    float[::1] out, const float[::1] score, const int[::1] words, const int[::1] group,
) except -1

cdef Py_ssize_t _beyond(Py_ssize_t place, Py_ssize_t low, Py_ssize_t high) noexcept

@cython.locals(
    whole=double, right=double, taken=double, best=double, count=Py_ssize_t, squared=double,
    place=Py_ssize_t, gain=double,
)
cdef tuple _best(
    const int[::1] order, const double[::1] share, const double[::1] words, double beta,
)

@cython.locals(
    whole="double[::1]", right="double[::1]", taken=double, best=double, count=Py_ssize_t,
    i=Py_ssize_t, sure=double, odds=double, reading=Py_ssize_t, place=Py_ssize_t, gain=double,
    all_words=double,
)
cdef Py_ssize_t _best_for_readings(
    const int[::1] order, const double[::1] score, const double[::1] words,
    double[:, ::1] shares, double beta,
) except -1
