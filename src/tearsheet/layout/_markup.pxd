cpdef str text(str value)
cpdef bint _is_safe(str url)
