cimport cython

@cython.locals(
    start=Py_ssize_t, end=Py_ssize_t, best=double, begin=Py_ssize_t, total=double, lowest=double,
    i=Py_ssize_t, gain=double,
)
cdef tuple _best_run(const double[::1] numbers)
