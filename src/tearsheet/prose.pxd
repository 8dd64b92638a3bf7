cdef str _runs(tuple runs)
