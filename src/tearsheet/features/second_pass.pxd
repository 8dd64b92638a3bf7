cimport cython

@cython.locals(i=Py_ssize_t)
cdef _sum(double[:, ::1] sums, const float[::1] score, const double[::1] words)

@cython.locals(
    size=Py_ssize_t, i=Py_ssize_t, place=Py_ssize_t, step=Py_ssize_t, width=Py_ssize_t,
    low=Py_ssize_t, high=Py_ssize_t,
)
cdef _near(float[:, ::1] out, const float[::1] score, const double[:, ::1] sums)

@cython.locals(share=double)
cdef double kept(const double[:, ::1] sums, Py_ssize_t low, Py_ssize_t high)

@cython.locals(i=Py_ssize_t)
cdef _average(
    float[:, ::1] held, const int[::1] low, const int[::1] high, const double[:, ::1] sums,
)

@cython.locals(known=dict, i=Py_ssize_t, pair=cython.longlong)
cdef Py_ssize_t _number_pairs(int[::1] numbers, const int[::1] first, const int[::1] second)

@cython.locals(i=Py_ssize_t)
cdef _fill_means(
    float[::1] out, const int[::1] group, double[:, ::1] sums, const float[::1] score,
    const double[::1] weight,
)

@cython.locals(place=Py_ssize_t, i=Py_ssize_t, number=Py_ssize_t)
cdef _fill_copies(
    float[:, ::1] out, const int[::1] order, const int[::1] copy, const float[::1] score,
    float[::1] best, int[::1] count,
)

@cython.locals(
    whole=double, right=double, taken=double, best=double, count=Py_ssize_t, squared=double,
    place=Py_ssize_t, gain=double,
)
cdef tuple _best(
    const int[::1] order, const double[::1] share, const double[::1] words, double beta,
)

@cython.locals(last=double, i=Py_ssize_t)
cdef _carry(float[::1] out, const float[::1] score, const unsigned char[::1] heads)
