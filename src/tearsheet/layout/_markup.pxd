cpdef str text(str value)
