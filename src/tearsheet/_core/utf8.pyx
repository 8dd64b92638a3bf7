"""A page that is a string as UTF-8.

Python's own way looks at one sign after the other as soon as a page has a single one beyond its
smallest kind of string. Most pages are ASCII but for a few signs, so here 64 are looked at together;
the loops are C, because a compiler has to be told that it may make them twice: for any processor,
and for those that compare many signs at once.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)

cdef extern from *:
    """
    #include <stddef.h>

    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
    #if __has_attribute(target_clones)
    #define MANY_AT_ONCE __attribute__((target_clones("avx2", "default")))
    #endif
    #endif
    #ifndef MANY_AT_ONCE
    #define MANY_AT_ONCE
    #endif

    static unsigned char *put_sign(unsigned char *to, unsigned sign) {
        if (sign < 0x80) {
            *to++ = sign;
        } else if (sign < 0x800) {
            *to++ = 0xC0 | sign >> 6;
            *to++ = 0x80 | (sign & 0x3F);
        } else if (sign < 0x10000) {
            if ((sign & 0xF800) == 0xD800)
                return to;  // half of a pair is no sign
            *to++ = 0xE0 | sign >> 12;
            *to++ = 0x80 | (sign >> 6 & 0x3F);
            *to++ = 0x80 | (sign & 0x3F);
        } else {
            *to++ = 0xF0 | sign >> 18;
            *to++ = 0x80 | (sign >> 12 & 0x3F);
            *to++ = 0x80 | (sign >> 6 & 0x3F);
            *to++ = 0x80 | (sign & 0x3F);
        }
        return to;
    }

    static int sign_size(unsigned sign) {
        return (sign >= 0x10000) + (sign >= 0x800) + (sign >= 0x80) + 1
            - 3 * (sign >> 11 == 0x1B);
    }

    #define UTF8_OF(KIND, SIGN) \\
    MANY_AT_ONCE static ptrdiff_t size_of_##KIND(const SIGN *signs, ptrdiff_t size) { \\
        ptrdiff_t found = 0, at = 0; \\
        for (; at + 64 <= size; at += 64) { \\
            SIGN all = 0; \\
            for (int i = 0; i < 64; i++) all |= signs[at + i]; \\
            if (all < 0x80) found += 64; \\
            else for (int i = 0; i < 64; i++) found += sign_size(signs[at + i]); \\
        } \\
        for (; at < size; at++) found += sign_size(signs[at]); \\
        return found; \\
    } \\
    MANY_AT_ONCE static void write_##KIND(const SIGN *signs, ptrdiff_t size, unsigned char *to) { \\
        ptrdiff_t at = 0; \\
        for (; at + 64 <= size; at += 64) { \\
            SIGN all = 0; \\
            for (int i = 0; i < 64; i++) all |= signs[at + i]; \\
            if (all < 0x80) { \\
                for (int i = 0; i < 64; i++) to[i] = (unsigned char) signs[at + i]; \\
                to += 64; \\
            } else for (int i = 0; i < 64; i++) to = put_sign(to, signs[at + i]); \\
        } \\
        for (; at < size; at++) to = put_sign(to, signs[at]); \\
    }

    UTF8_OF(one, unsigned char)
    UTF8_OF(two, unsigned short)
    UTF8_OF(four, unsigned int)
    """
    Py_ssize_t size_of_one(const unsigned char *signs, Py_ssize_t size) noexcept
    Py_ssize_t size_of_two(const unsigned short *signs, Py_ssize_t size) noexcept
    Py_ssize_t size_of_four(const unsigned int *signs, Py_ssize_t size) noexcept
    void write_one(const unsigned char *signs, Py_ssize_t size, unsigned char *to) noexcept
    void write_two(const unsigned short *signs, Py_ssize_t size, unsigned char *to) noexcept
    void write_four(const unsigned int *signs, Py_ssize_t size, unsigned char *to) noexcept


def encoded(str html):
    """A page as UTF-8, without what cannot be written so, as `html.encode("utf-8", "ignore")`."""
    if html.isascii():
        return html.encode()
    cdef Py_ssize_t size = len(html)
    cdef int kind = PyUnicode_KIND(html)
    cdef void *signs = PyUnicode_DATA(html)
    cdef bytes made
    if kind == 1:
        made = PyBytes_FromStringAndSize(NULL, size_of_one(<unsigned char *> signs, size))
        write_one(<unsigned char *> signs, size, <unsigned char *> PyBytes_AS_STRING(made))
    elif kind == 2:
        made = PyBytes_FromStringAndSize(NULL, size_of_two(<unsigned short *> signs, size))
        write_two(<unsigned short *> signs, size, <unsigned char *> PyBytes_AS_STRING(made))
    else:
        made = PyBytes_FromStringAndSize(NULL, size_of_four(<unsigned int *> signs, size))
        write_four(<unsigned int *> signs, size, <unsigned char *> PyBytes_AS_STRING(made))
    return made
