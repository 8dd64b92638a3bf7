cpdef dict _block(block)
cpdef list _runs(tuple runs)
cpdef dict _run(run)
