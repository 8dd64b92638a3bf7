cimport cython

ctypedef unsigned long long Number

cdef bint COMPILED
cdef int SHORT, _LABEL, _EFFECT, _AROUND, _OWN, _SAID, _HEAD, _FIRST, _VALUES
cdef unsigned int _SIZES, _INITIALS
cdef Number _START, _PRIME, _ALL

cdef class Words:
    cdef dict known
    cdef Number last
    cdef unsigned int[::1] halves
    cdef int[::1] rows
    cdef readonly float[:, ::1] values

    @cython.locals(number=Number, slot=Py_ssize_t, sign=Py_UCS4)
    cdef put(self, str word, int row)
    @cython.locals(slot=Py_ssize_t, half="unsigned int")
    cdef Py_ssize_t slot(self, Number number) except -1
    cdef int row_of(self, Number number) except -1
    @cython.locals(number=Number, at=Py_ssize_t)
    cpdef int row(self, str text, Py_ssize_t start, Py_ssize_t stop, bint marked) except -1
    @cython.locals(
        number=Number, left=Py_ssize_t, i=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t,
        at=Py_ssize_t,
    )
    cdef int whole(self, str text, const int[::1] spans, Py_ssize_t count) except -1

cdef Number further(Number number, Number letter) noexcept
cdef Number small(Py_UCS4 sign) noexcept

@cython.locals(
    spans="int[::1]", i=Py_ssize_t, raw=str, word=Py_ssize_t, row=Py_ssize_t, effect=double,
)
cpdef fill_named(double[:, ::1] out, int[::1] counts, list attrs, Words words)

@cython.locals(i=Py_ssize_t, longest=Py_ssize_t, text=str)
cdef Py_ssize_t _longest(list texts) except -1

@cython.locals(i=Py_ssize_t, lines=list, texts=list, text=str)
cdef list _beginnings(segments)

@cython.locals(
    count=Py_ssize_t, at=Py_ssize_t, equals=Py_ssize_t, start=Py_ssize_t, size=Py_ssize_t,
    end=Py_ssize_t,
)
cdef Py_ssize_t _names_in(str raw, int[::1] spans) except -1

@cython.locals(start=Py_ssize_t, first=Py_UCS4, capital=bint)
cdef Py_ssize_t _add_names(
    str name, Py_ssize_t at, Py_ssize_t size, int[::1] spans, Py_ssize_t count,
) except -1

@cython.locals(
    i=Py_ssize_t, line=str, short=bint, count=Py_ssize_t, worst=double, best=double, total=double,
    common=double, word=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, value=double,
    row=Py_ssize_t, values="float[:, ::1]",
)
cdef _fill_said(
    float[:, ::1] out, float[:, ::1] weights, list lines, const int[::1] lengths, int[::1] spans,
    Number[::1] numbers, Words words, Words title, double titled,
)

@cython.locals(
    count=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t, at=Py_ssize_t, marks=bint, begin=Number,
    number=Number, figures=bint,
)
cdef Py_ssize_t _words_in(str text, bint short, int[::1] spans, Number[::1] numbers=*) except -1

cdef bint _is_letter(Py_UCS4 sign) noexcept

cdef bint _is_number(str text, Py_ssize_t start, Py_ssize_t stop) except -1
