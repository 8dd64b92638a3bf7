cimport cython

cdef int _ALWAYS, _OUTSIDE, _HEADLESS, _PART, _WHOLE

@cython.locals(
    rows=Py_ssize_t, row=Py_ssize_t, part=Py_ssize_t, found=int, bits=int, stop=Py_ssize_t,
)
cdef int _mark(
    const unsigned char[::1] tag, const int[::1] end, const unsigned char[::1] called,
    const int[::1] words, const int[::1] heads, const unsigned char[::1] meaning,
    int enough, unsigned char[::1] stays,
) except -1

cdef bint _leaves_a_text(int held, int all_words, int enough) noexcept
