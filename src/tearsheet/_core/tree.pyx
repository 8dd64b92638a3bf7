# cython: boundscheck=False, wraparound=False
"""HTML → the columns of a page, in one walk over lexbor's tree.

selectolax parses the page and hands out the addresses of its nodes. From there the walk calls
lexbor's own functions. It looks them up in the library that selectolax has loaded, so it needs
neither headers nor the layout of any structure. `scripts/compile.py` compares the signatures below
with those that selectolax ships; a version of selectolax that is not tested is refused.

On Windows, selectolax's library does not export these functions. There the build links lexbor's own
sources into this module, and the module accepts only the version of selectolax that has them.
"""

import os
import re

import numpy as np
import selectolax
import selectolax.lexbor
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.ref cimport Py_DECREF, PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, memcpy, memset

from tearsheet import tags
from tearsheet.errors import CoreUnusable
from tearsheet.writing import drop_controls, drop_widthless

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    PyObject *new_bytes "PyBytes_FromStringAndSize" (const char *text, Py_ssize_t size) except NULL
    int resize_bytes "_PyBytes_Resize" (PyObject **text, Py_ssize_t size) except -1

cdef extern from *:
    """
    #include <stddef.h>
    #include <string.h>

    #ifdef LINKED_LEXBOR  /* the build gives selectolax's version, and TAKE(name) for each function */
    #include <lexbor/dom/dom.h>
    static void *open_library(const char *path) {  /* both copies must allocate in the same way */
        static char linked;
        return lexbor_memory_setup(PyMem_RawMalloc, PyMem_RawRealloc, PyMem_RawCalloc, PyMem_RawFree)
            == LXB_STATUS_OK ? &linked : NULL;
    }
    #define TAKE(function) if (!strcmp(name, #function)) return (void *) function;
    static void *find_function(void *library, const char *name) { LEXBOR_FUNCTIONS return NULL; }
    #else
    #define LINKED_LEXBOR ""
    #include <dlfcn.h>
    static void *open_library(const char *path) { return dlopen(path, RTLD_LAZY | RTLD_NOLOAD); }
    static void *find_function(void *library, const char *name) { return dlsym(library, name); }
    #endif

    /* Whether `needle` is in `text`. The search goes from one `needle[rare]` to the next. */
    static int contains(
        const unsigned char *text, size_t size, const char *needle, size_t length, size_t rare
    ) {
        const unsigned char *end = text + size;
        while ((size_t) (end - text) >= length) {
            text = (const unsigned char *) memchr(text + rare, needle[rare], end - text - length + 1);
            if (!text) return 0;
            text -= rare;
            if (!memcmp(text, needle, length)) return 1;
            text++;
        }
        return 0;
    }

    enum { APOSTROPHE = 39 };
    typedef struct { long tags, depth, roots; double work, copied; } Measures;

    static int is_root(const unsigned char *tag) {
        return ((tag[1] | 32) == 'b' && (tag[2] | 32) == 'o' && (tag[3] | 32) == 'd' && (tag[4] | 32) == 'y')
            || ((tag[1] | 32) == 'h' && (tag[2] | 32) == 't' && (tag[3] | 32) == 'm' && (tag[4] | 32) == 'l');
    }

    /* 1: a link, 2: another formatting element; 0: none, or the tag cannot have attributes. The
     * parser opens formatting elements again in each paragraph until they are closed. */
    static int formatting_kind(const unsigned char *tag, size_t left) {
        char name[9] = " ";
        size_t size = 1;
        for (; size < left && size < 8 && tag[size] > ' ' && tag[size] != '/'; size++)
            name[size] = tag[size] | 32;
        if (size == left || size == 8) return 0;
        name[size] = ' ';
        if (name[1] == 'a') return size == 2;
        return strstr(" b i s u em tt big code font nobr small strike strong ", name) ? 2 : 0;
    }

    static long larger(long one, long other) { return one > other ? one : other; }

    static size_t find(const unsigned char *html, size_t at, size_t end, int sign) {
        const unsigned char *found = (const unsigned char *) memchr(html + at, sign, end - at);
        return found ? (size_t) (found - html) : end;
    }

    static unsigned char is_plain_sign[256];  /* all but `< > = / " '` and white space */

    /* Upper bounds that hold wherever tags really begin: `<` and a letter may begin one anywhere,
     * even in scripts and comments. The loop follows all tags that may be open at once. `bare` is
     * the largest number of attributes of a tag that a `>` would end now, `one` and `two` that of a
     * tag that is inside single or double quotes; -1 if there is none. `copied` is what the parser
     * may copy for one paragraph: all formatting elements that are not closed, at most one of them
     * a link. With `most` >= 0, `html` is changed: what would separate further attributes becomes a
     * letter, and further `<body` and `<html` become text. Four bytes after `html` must be
     * readable. */
    static Measures measure(unsigned char *html, size_t size, long most, long most_roots) {
        Measures found = {0, 0, 0, 0.0, 0.0};
        long level = 0, bare = -1, one = -1, two = -1, link = 0;
        int kinds = 0;  /* of formatting elements whose tags may be open */
        int separated = 0;  /* the byte before ends a name or a value */
        int equals = 0;  /* `=` since then; 2: more than one, or one that may begin a name */
        int in_value = 0;  /* this may be inside a value without quotes */
        int is_sure = 0;  /* the last `=` follows a name */
        size_t value_at = 0;  /* where its value may begin */
        size_t quote_at[2] = {0, 0};  /* the next quotes of both kinds, as far as known */
        for (size_t at = 0; at < size; at++) {
            if (bare >= 0) {
                if (!separated) while (at < size && is_plain_sign[html[at]]) at++;
                if (at == size) break;
            } else if (one < 0 || two < 0) {  /* go to the next `<`, or to the quote before it */
                size_t end = size;
                if (one >= 0 || two >= 0) {
                    size_t *quote = &quote_at[two >= 0];
                    if (*quote <= at) *quote = find(html, at, size, two >= 0 ? '"' : APOSTROPHE);
                    end = *quote;
                }
                at = find(html, at, end, '<');
                if (at == size) break;
            }
            unsigned char sign = html[at];
            if (sign == '<') {
                unsigned char next = at + 1 < size ? html[at + 1] : 0;
                found.tags++;
                if (next == '/') level--;
                else if (next >= 'A' && ++level > found.depth) found.depth = level;
                if ((next | 32) >= 'a' && (next | 32) <= 'z') {
                    if (at + 5 < size && is_root(html + at) && ++found.roots > most_roots && most >= 0)
                        html[at] = sign = ' ';
                    else {
                        kinds |= formatting_kind(html + at, size - at);
                        if (bare < 0) bare = 0, separated = in_value = 0;
                        equals = 2;  /* in the name of a tag, neither `=` nor quotes mean anything */
                        if (!separated) continue;
                    }
                }
            }
            if (bare > most && most >= 0 && (sign <= ' ' || sign == '/' || sign == '"' || sign == APOSTROPHE))
                html[at] = sign = 'x';
            long *quoted = sign == '"' ? &two : sign == APOSTROPHE ? &one : NULL;
            if (sign == '>') {
                if (bare > 0) found.work += (double) bare * bare;
                if (bare >= 0 && kinds & 1) link = larger(link, 1 + bare);
                if (bare >= 0 && kinds & 2) found.copied += 1 + bare;
                if (one < 0 && two < 0) kinds = 0;
                bare = -1;
            } else if (quoted) {
                long closed = *quoted, opened = -1;
                if (bare >= 0) {
                    if (value_at == at) opened = bare;
                    if (value_at == at && is_sure) bare = -1;
                    else if (separated) bare++, equals = 2;  /* else it may be a part of a value */
                    separated = 0;
                }
                *quoted = opened;
                if (closed >= 0) {
                    separated = bare < 0;  /* else the next `=` or quote is part of a name in some */
                    if (bare >= 0) closed++, equals = 2;
                    else in_value = 0;
                    bare = larger(bare, closed);
                }
            } else if (bare >= 0) {
                int is_space = sign == ' ' || (sign >= 9 && sign <= 13 && sign != 11);
                if (value_at == at) value_at += is_space, in_value = !is_space;
                else if (is_space) in_value = 0;
                else if (sign == '/' && equals) in_value = 1;
                if (is_space || sign == '/') separated = 1, equals = 0;
                else if (separated) bare++, separated = 0, equals = sign == '=' ? 2 : 0;
                else if (sign == '=') equals = equals ? 2 : 1;
                if (sign == '=') value_at = at + 1, is_sure = equals == 1 && !in_value;
            }
        }
        bare = larger(bare, larger(one, two));
        if (bare > 0) found.work += (double) bare * bare;
        found.copied += link;
        return found;
    }

    /* Whether bytes are UTF-8 as Python reads it: no surrogates, no character in too many bytes. */
    static int check_utf8(const unsigned char *text, size_t size) {
        size_t at = 0;
        while (at < size) {
            while (at + 32 <= size) {
                unsigned char all = 0;
                for (int i = 0; i < 32; i++) all |= text[at + i];
                if (all >= 0x80) break;
                at += 32;
            }
            for (size_t end = at + 32 < size ? at + 32 : size; at < end;) {
                unsigned char sign = text[at++];
                if (sign < 0x80) continue;
                int more = sign < 0xC2 ? -1 : sign < 0xE0 ? 1 : sign < 0xF0 ? 2 : sign < 0xF5 ? 3 : -1;
                if (more < 0 || size - at < (size_t) more) return 0;
                unsigned char low = sign == 0xE0 ? 0xA0 : sign == 0xF0 ? 0x90 : 0x80;
                unsigned char high = sign == 0xED ? 0x9F : sign == 0xF4 ? 0x8F : 0xBF;
                if (text[at] < low || text[at] > high) return 0;
                for (at++; --more; at++)
                    if ((text[at] & 0xC0) != 0x80) return 0;
            }
        }
        return 1;
    }

    enum { NOTHING = 0, WIDTHLESS = 1, CONTROL = 2 };
    static unsigned char may_be_widthless[256];  /* bytes that begin such a character */

    /* Which characters that `writing.drop_widthless` drops are in a text of UTF-8. */
    static int find_widthless(const unsigned char *text, size_t size) {
        size_t at = 0;
        int found = NOTHING;
        while (at < size) {
            while (at + 32 <= size) {  /* most have none of the bytes that begin such a character */
                unsigned char any = 0;
                for (int i = 0; i < 32; i++) {
                    unsigned char sign = text[at + i];
                    any |= (sign < 0x0E) & (sign != 9) & (sign != 10) & (sign != 13);
                    any |= ((sign >= 0x0E) & (sign < 0x20)) | (sign == 0x7F);
                    any |= (sign == 0xC2) | (sign == 0xD8) | (sign == 0xE2) | (sign == 0xEF) | (sign == 0xF3);
                }
                if (any) break;
                at += 32;
            }
            for (size_t end = at + 32 < size ? at + 32 : size; at < end; at++) {
                unsigned char sign = text[at];
                if (!may_be_widthless[sign]) continue;
                unsigned char next = at + 1 < size ? text[at + 1] : 0, last = at + 2 < size ? text[at + 2] : 0;
                if (sign < 0x20 ? sign != 9 && sign != 10 && sign != 13 : sign == 0x7F) found |= CONTROL;
                if (sign == 0xC2) found |= next < 0xA0 ? CONTROL : next == 0xAD ? WIDTHLESS : NOTHING;
                if (sign == 0xD8 && next == 0x9C) found |= WIDTHLESS;
                if (sign == 0xE2 && next == 0x80) {
                    if (last == 0x8B || last == 0x8E || last == 0x8F) found |= WIDTHLESS;
                    if (last >= 0xAA && last <= 0xAE) found |= CONTROL;
                }
                if (sign == 0xE2 && next == 0x81)
                    found |= last == 0xA0 ? WIDTHLESS : last >= 0xA6 && last <= 0xA9 ? CONTROL : NOTHING;
                if (sign == 0xEF && next == 0xBB && last == 0xBF) found |= WIDTHLESS;
                if (sign == 0xEF && next == 0xBF && last >= 0xB9 && last != 0xBC && last != 0xBD)
                    found |= CONTROL;
                if (sign == 0xF3 && next == 0xA0 && (last == 0x80 || last == 0x81)) found |= CONTROL;
            }
        }
        return found;
    }

    /* A string of characters of the type SIGN → UTF-8 without surrogates; ASCII 64 at a time. */
    #define DEFINE_ENCODE(NAME, SIGN) \\
    static size_t NAME(const SIGN *text, size_t size, unsigned char *to) { \\
        unsigned char *begin = to; \\
        size_t at = 0; \\
        while (at < size) { \\
            while (at + 64 <= size) { \\
                SIGN all = 0; \\
                for (int i = 0; i < 64; i++) all |= text[at + i]; \\
                if (all >= 0x80) break; \\
                for (int i = 0; i < 64; i++) to[i] = (unsigned char) text[at + i]; \\
                to += 64, at += 64; \\
            } \\
            for (size_t end = at + 64 < size ? at + 64 : size; at < end; at++) { \\
                unsigned sign = text[at]; \\
                if (sign < 0x80) { *to++ = sign; continue; } \\
                if (sign < 0x800) { *to++ = 0xC0 | sign >> 6; } \\
                else if (sign < 0x10000) { \\
                    if ((sign & 0xF800) == 0xD800) continue; \\
                    *to++ = 0xE0 | sign >> 12; \\
                    *to++ = 0x80 | (sign >> 6 & 0x3F); \\
                } else { \\
                    *to++ = 0xF0 | sign >> 18; \\
                    *to++ = 0x80 | (sign >> 12 & 0x3F); \\
                    *to++ = 0x80 | (sign >> 6 & 0x3F); \\
                } \\
                *to++ = 0x80 | (sign & 0x3F); \\
            } \\
        } \\
        return to - begin; \\
    }
    DEFINE_ENCODE(encode_1, unsigned char)
    DEFINE_ENCODE(encode_2, unsigned short)
    DEFINE_ENCODE(encode_4, unsigned int)
    """
    const char *LINKED_LEXBOR
    void *open_library(const char *path)
    void *find_function(void *library, const char *name)
    bint contains(
        const unsigned char *text, size_t size, const char *needle, size_t length, size_t rare
    ) nogil
    ctypedef struct Measures:
        long tags, depth, roots
        double work, copied
    unsigned char is_plain_sign[256]
    unsigned char may_be_widthless[256]
    Measures measure(unsigned char *html, size_t size, long most, long most_roots) nogil
    size_t find(const unsigned char *html, size_t at, size_t end, int sign) nogil
    enum: CONTROL
    int find_widthless(const unsigned char *text, size_t size) nogil
    bint check_utf8(const unsigned char *text, size_t size) nogil
    size_t encode_1(const void *text, size_t size, void *to) nogil
    size_t encode_2(const void *text, size_t size, void *to) nogil
    size_t encode_4(const void *text, size_t size, void *to) nogil

ctypedef void *Node
ctypedef const unsigned char *Letters
ctypedef unsigned long long Number

# lexbor's own C signatures. The build compares them with selectolax's `lexbor.pxd`. The functions
# that are not declared there take a node, and return a node or its type.
cdef struct Lexbor:
    int (*type)(Node node) noexcept nogil
    Node (*first_child)(Node node) noexcept nogil
    Node (*next)(Node node) noexcept nogil
    Node (*parent)(Node node) noexcept nogil
    Letters (*name)(Node element, size_t *size) noexcept nogil
    Letters (*text)(Node node, size_t *size) noexcept nogil
    Node (*first_attribute)(Node element) noexcept nogil
    Node (*next_attribute)(Node attribute) noexcept nogil
    Letters (*attribute_name)(Node attribute, size_t *size) noexcept nogil
    Letters (*attribute_value)(Node attribute, size_t *size) noexcept nogil

cdef Lexbor lexbor
SIGNATURES = (  # in the order of the structure
    "lxb_dom_node_type_t lxb_dom_node_type_noi(lxb_dom_node_t *node)",
    "lxb_dom_node_t * lxb_dom_node_first_child_noi(lxb_dom_node_t *node)",
    "lxb_dom_node_t * lxb_dom_node_next_noi(lxb_dom_node_t *node)",
    "lxb_dom_node_t * lxb_dom_node_parent_noi(lxb_dom_node_t *node)",
    "const lxb_char_t * lxb_dom_element_qualified_name(const lxb_dom_element_t *element, size_t *len)",
    "lxb_char_t * lxb_dom_node_text_content(lxb_dom_node_t *node, size_t *len)",
    "lxb_dom_attr_t * lxb_dom_element_first_attribute_noi(lxb_dom_element_t *element)",
    "lxb_dom_attr_t * lxb_dom_element_next_attribute_noi(lxb_dom_attr_t *attr)",
    "const lxb_char_t * lxb_dom_attr_qualified_name(lxb_dom_attr_t *attr, size_t *len)",
    "const lxb_char_t * lxb_dom_attr_value_noi(lxb_dom_attr_t *attr, size_t *len)",
)
LOWEST = (1, 0, 1)
"""The lowest version of selectolax that is tested; `BEYOND` is the first that is not."""
BEYOND = (1, 1)


LINKED = LINKED_LEXBOR.decode()
"""The version of selectolax whose lexbor is linked into this module; empty if it is looked up."""


def check_version(str version, str linked=LINKED):
    """Raises `CoreUnusable` if the core cannot read the nodes of this version of selectolax."""
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    lowest, beyond = (".".join(map(str, bound)) for bound in (LOWEST, BEYOND))
    if linked and version != linked:
        raise CoreUnusable(
            f"this build of Tearsheet reads pages with selectolax {linked} only, and {version} is "
            f"installed; run: pip install selectolax=={linked}"
        )
    if not LOWEST <= numbers < BEYOND:
        raise CoreUnusable(
            f"Tearsheet reads pages with selectolax from {lowest} to below {beyond}, and {version} "
            f"is installed; run: pip install 'selectolax>={lowest},<{beyond}'"
        )


def bind(str path):
    """Finds lexbor's functions in a loaded library, or in this module if they are linked."""
    global lexbor
    cdef Lexbor found
    cdef void **functions = <void **> &found
    cdef void *library = open_library(os.fsencode(path))
    cdef Py_ssize_t i
    for i, signature in enumerate(SIGNATURES):
        name = re.search(r"(\w+)\(", signature)[1]
        functions[i] = NULL if library == NULL else find_function(library, name.encode())
        if functions[i] == NULL:
            raise CoreUnusable(
                f"{path} does not export lexbor's {name}, without which Tearsheet cannot read "
                "pages; install selectolax from its wheel, or link lexbor (see scripts/compile.py)"
            )
    lexbor = found


check_version(selectolax.__version__)
bind(selectolax.lexbor.__file__)

cdef enum:
    ELEMENT = 1
    TEXT_NODE = 3
    CDATA = 4

cdef enum:
    BREAKING = 1  # a line ends at the edges of the element
    VOID = 2  # HTML's elements of this name have no content
    PROGRAM = 4  # the content is no text of the page

cdef enum Step:
    OVER
    INTO

cdef struct Row:
    int tag, parent, end, depth, breaks, attrs

cdef struct Splice:
    Node container, host

cdef int TEXT = tags.TEXT, OTHER = tags.OTHER
cdef int NOSCRIPT = tags.CODES["noscript"], SCRIPT = tags.CODES["script"]
cdef int TEMPLATE = tags.CODES["template"], DIV = tags.CODES["div"]
cdef bytes STATE = b"STATE__"
cdef bytes TEX = b"math/tex"
WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS  # nothing listens to changes of the tree
# Part of each hash, so that nobody can write a page with many equal hashes.
cdef Number _SECRET = int.from_bytes(os.urandom(8), "little") | 1

cdef unsigned char FLAGS[256]
cdef Number NUMBERS[1024]  # a hash table: the numbers of the names …
cdef unsigned char CODES[1024]  # … and their codes


def _fill_tables():
    """Fills the tables of tags and of special bytes."""
    cdef int slot
    cdef bytes name
    flags = (
        tags.BREAKS * BREAKING | tags.mask(*tags.VOID) * VOID
        | tags.mask("script", "style") * PROGRAM
    )
    for code, bits in enumerate(flags.tolist()):
        FLAGS[code] = bits
    for byte in range(256):
        is_plain_sign[byte] = byte > 32 and byte not in b"<>=/\"'"
        may_be_widthless[byte] = byte < 32 and byte not in b"\t\n\r"
    for byte in (0x7F, 0xC2, 0xD8, 0xE2, 0xEF, 0xF3):
        may_be_widthless[byte] = True
    memset(NUMBERS, 0, sizeof(NUMBERS))
    for code, text in enumerate(tags.NAMES):
        name = text.encode()
        if len(name) > 16:
            raise ValueError(f"{text} is too long a name")
        slot = find_slot(number_of(name, len(name)))
        NUMBERS[slot], CODES[slot] = number_of(name, len(name)), code


def has_tex_script(bytes html):
    """Whether a page contains `math/tex`, the type of scripts that hold formulas."""
    return contains(<Letters> PyBytes_AS_STRING(html), len(html), TEX, len(TEX), len(TEX) - 1)


def measure_markup(bytes html):
    """Upper bounds of a page: the number of tags, their depth, the sum of the squares of their
    numbers of attributes, the number of tags `<html>` and `<body>`, and how many formatting
    elements and attributes the parser may copy for one paragraph (as if none that has attributes
    were closed)."""
    cdef Measures found = measure(<unsigned char *> PyBytes_AS_STRING(html), len(html), -1, 0)
    return found.tags, found.depth, found.work, found.roots, found.copied


cdef enum:
    NAME_SLOTS = 1024
    LONGEST_NAME = 64
    NO_DEPTH = 1  # kinds of names: ended at once, like <br> …
    SELF_ENDING = 2  # … ended by the next of its kind, like <p> and <li> …
    SPECIAL = 3  # … with an end tag that ends all that is open inside …
    BORDER = 4  # … like SPECIAL, and no end tag reaches across it, like <table>


cdef class OpenElements:
    """Follows the tags of a page, and counts how many elements may be open at most.

    A closing tag ends an element for certain only if it was opened last, or is a block: the parser
    ignores `</span>` in `<span><div></span></div>`, and `</x>` in `<div></x>`. `kinds` has the
    names of each kind, from `NO_DEPTH` on; all other names are like `<span>`.
    """

    cdef Number[NAME_SLOTS] names  # hashes
    cdef char[NAME_SLOTS + 1] kind  # the last is for names that find no slot
    cdef long known
    cdef readonly long level
    cdef list before  # the slots of what is open

    def __cinit__(self, kinds):
        cdef long slot
        memset(self.names, 0, sizeof(self.names))
        memset(self.kind, 0, sizeof(self.kind))
        self.known, self.level, self.before = 0, 0, []
        for number, group in enumerate(kinds, NO_DEPTH):
            for name in group:
                slot = self.number(<const unsigned char *> PyBytes_AS_STRING(name), len(name))
                self.kind[slot] = number

    cdef long number(self, const unsigned char *name, size_t size) except -1:
        """The slot of a name in any case; `NAME_SLOTS` if it is too long or there are too many."""
        cdef unsigned char[LONGEST_NAME] small
        cdef size_t i
        cdef long slot
        if 2 * self.known > NAME_SLOTS or size > LONGEST_NAME:
            return NAME_SLOTS
        for i in range(size):
            small[i] = name[i] | 32 if c"A" <= name[i] <= c"Z" else name[i]
        slot = find_name(self.names, small, size)
        if slot < 0:
            slot, self.known = ~slot, self.known + 1
        return slot

    cdef int follow(self, const unsigned char *name, size_t size, bint closes) except -1:
        """Takes the next tag."""
        cdef long slot = self.number(name, size), last = -1
        if self.before:
            last = self.before[len(self.before) - 1]
        cdef bint in_self_ending = last >= 0 and self.kind[last] == SELF_ENDING
        if self.kind[slot] == NO_DEPTH:
            return 0
        if self.kind[slot] == SELF_ENDING:
            if in_self_ending:
                self.before.pop()
            if not closes:
                self.before.append(slot)
        elif not closes:
            self.before.append(slot)
            self.level += 1
        elif slot == NAME_SLOTS:
            return 0
        elif last == slot:
            self.before.pop()
            self.level -= 1
        elif self.kind[slot] >= SPECIAL:
            self.close_block(slot)
        return 0

    cdef int close_block(self, long slot) except -1:
        """Ends an element and all that is open in it, unless a border is open in it."""
        cdef Py_ssize_t place
        cdef long one, count = 0
        for place in range(len(self.before) - 1, -1, -1):
            one = self.before[place]
            count += self.kind[one] != SELF_ENDING
            if one == slot:
                del self.before[place:]
                self.level -= count
                return 0
            if self.kind[one] == BORDER:
                return 0
        return 0

    def add(self, bytes name, bint closes):
        """Takes the next tag, given as bytes."""
        self.follow(<const unsigned char *> PyBytes_AS_STRING(name), len(name), closes)


def seems_deep(bytes html, kinds, long most):
    """Whether `most` elements may be open at once, as `OpenElements` counts them."""
    cdef const unsigned char *text = <const unsigned char *> PyBytes_AS_STRING(html)
    cdef size_t size = len(html), at = 0, begin
    cdef OpenElements elements = OpenElements(kinds)
    cdef bint closes
    while True:
        at = find(text, at, size, c"<") + 1
        if at >= size:
            return False
        closes = text[at] == c"/"
        at += closes
        if at >= size or not c"a" <= text[at] | 32 <= c"z":
            continue
        begin = at
        while at < size and text[at] != c">" and text[at] != c"/" and text[at] != c" " and not (
            9 <= text[at] <= 13
        ):
            at += 1
        elements.follow(text + begin, at - begin, closes)
        if elements.level >= most:
            return True


cdef long find_name(Number *names, const unsigned char *name, size_t size) noexcept:
    """The slot of a name. A new name is added; then the result is the slot's complement."""
    cdef Number key = hash_of(name, size) | 1
    cdef long slot = key >> 54
    while names[slot]:
        if names[slot] == key:
            return slot
        slot = (slot + 1) & (NAME_SLOTS - 1)
    names[slot] = key
    return ~slot


def join_attributes(bytes html, long most, long most_roots):
    """The page with at most `most` attributes a tag and `most_roots` tags `<html>` and `<body>`:
    further attributes become part of one, further tags become text."""
    cdef bytes copy = PyBytes_FromStringAndSize(PyBytes_AS_STRING(html), len(html))
    measure(<unsigned char *> PyBytes_AS_STRING(copy), len(copy), most, most_roots)
    return copy


def is_utf8(bytes html):
    """Whether bytes can be decoded as UTF-8."""
    return check_utf8(<const unsigned char *> PyBytes_AS_STRING(html), len(html))


def encode(str html):
    """`html.encode("utf-8", "ignore")`, but faster for text that is nearly ASCII."""
    if html.isascii():
        return html.encode()
    cdef size_t size = len(html), used
    cdef int kind = PyUnicode_KIND(html)
    cdef PyObject *encoded = new_bytes(NULL, size * (kind + (kind < 4)))
    cdef void *text = PyUnicode_DATA(html)
    cdef void *to = PyBytes_AS_STRING(<object> encoded)
    if kind == 1:
        used = encode_1(text, size, to)
    elif kind == 2:
        used = encode_2(text, size, to)
    else:
        used = encode_4(text, size, to)
    resize_bytes(&encoded, used)
    found = <object> encoded
    Py_DECREF(found)
    return found


def read(bytes html, bint open_noscript=False):
    """The columns of a page, its data scripts with their types, its programs that set a state, and
    the number of characters in `<noscript>`.

    The columns are tag, parent, end, depth, breaks, text, attrs, attrs_at, all_attrs and names. A
    declarative shadow root becomes a `div` in its place; other templates are left out. With
    `open_noscript`, each `<noscript>` becomes a `div`, and its text is parsed as elements.
    """
    cdef _Walk walk = _Walk(open_noscript)
    walk.run(html)
    return walk.columns(), walk.data, walk.programs, walk.unscripted


cdef class _Walk:
    """The state of the walk. It keeps the parsed trees alive."""

    cdef Row *rows
    cdef int room, row, level, breaks, within
    cdef bint open_noscript
    cdef Py_ssize_t unscripted
    cdef list text, attrs, data, programs, pieces
    cdef str waiting
    cdef dict names
    cdef _Attributes different
    cdef _Short short
    cdef list parsers  # of the page, and of each opened `<noscript>`
    cdef dict contents  # the fragments of templates, by the addresses of both
    cdef Py_ssize_t searched  # how many parsers `contents` covers
    cdef Splice *splices  # the places where the walk goes on in another tree
    cdef int spliced, splice_room
    cdef int opened  # the number of splices up to the `<noscript>` that is open; 0: none is

    def __cinit__(self, bint open_noscript):
        self.open_noscript = open_noscript
        self.within = -1
        self.text, self.attrs, self.data, self.programs, self.names = [], [], [], [], {}
        self.different = _Attributes()
        self.short = _Short()
        self.waiting = ""  # the text before the next tag, or its first piece …
        self.pieces = []  # … and the others, if comments stand between
        self.parsers, self.contents = [], {}

    def __dealloc__(self):
        PyMem_Free(self.rows)
        PyMem_Free(self.splices)

    cdef int run(self, bytes html) except -1:
        """Reads the whole page."""
        cdef Node node = self.parse(html, False), following
        cdef Step step
        while node != NULL:
            step = self.visit(node)
            following = self.first_child(node) if step == INTO else NULL
            if following == NULL:
                if step == INTO:
                    self.close()
                following = lexbor.next(node)
            while following == NULL and self.level:
                node = self.parent(node)
                self.close()
                following = lexbor.next(node)
            node = following
        return 0

    cdef Node parse(self, bytes html, bint is_fragment) except? NULL:
        """Parses a page or a fragment, and returns its first node."""
        parser = LexborHTMLParser(
            html, is_fragment=is_fragment, scripting=True, options=WITHOUT_EVENTS
        )
        self.parsers.append(parser)
        root = parser.root
        return <Node> <size_t> root.mem_id if root is not None else NULL

    cdef Node parent(self, Node node) noexcept:
        """The parent that a node has in the table; leaves a tree that took the place of another."""
        node = lexbor.parent(node)
        if self.spliced and node == self.splices[self.spliced - 1].container:
            if self.spliced == self.opened:
                self.opened = 0
            self.spliced -= 1
            node = self.splices[self.spliced].host
        return node

    cdef Node first_child(self, Node node) except? NULL:
        """The first node in an element. For a shadow root or an opened `<noscript>`, that is the
        first node of the tree that takes its place."""
        if self.rows[self.within].tag != DIV or not (self.open_noscript or self.contents):
            return lexbor.first_child(node)
        cdef size_t size = 0
        cdef Letters name = lexbor.name(node, &size)
        cdef int code = find_code(name, size)
        cdef Node first
        if code == TEMPLATE:
            return self.splice(node, self.content(node))
        if code == NOSCRIPT:
            first = self.splice(node, self.parse(text_of(node).encode(), True))
            if first != NULL:
                self.opened = self.spliced
            return first
        return lexbor.first_child(node)

    cdef Node splice(self, Node host, Node first) except? NULL:
        """Makes the walk go on at `first`, and return to `host` after the siblings of `first`."""
        if first == NULL:
            return NULL
        if self.spliced == self.splice_room:
            self.splice_room = 2 * self.splice_room + 8
            self.splices = <Splice *> grow(self.splices, self.splice_room * sizeof(Splice))
        self.splices[self.spliced].container = lexbor.parent(first)
        self.splices[self.spliced].host = host
        self.spliced += 1
        return first

    cdef Node content(self, Node template) except? NULL:
        """The first node of a template's content."""
        fragment = self.contents.get(<size_t> template)
        if fragment is None:  # in a drawing, it is an element like others
            return lexbor.first_child(template)
        return lexbor.first_child(<Node> <size_t> fragment)

    cdef int find_contents(self) except -1:
        """Finds the contents of all templates; they are not part of the tree."""
        while self.searched < len(self.parsers):
            waiting = self.parsers[self.searched].template_fragments()
            while waiting:
                fragment = waiting.pop()
                self.contents[fragment.parent.mem_id] = fragment.mem_id
                waiting += fragment.template_fragments()
            self.searched += 1
        return 0

    cdef Step visit(self, Node node) except *:
        """Reads a node, and says whether to go into it."""
        cdef int kind = lexbor.type(node)
        if kind == ELEMENT:
            return self.element(node)
        if kind == TEXT_NODE or kind == CDATA:
            text = self.short.text_of(node)
            if not self.waiting:
                self.waiting = text
            elif text:
                self.pieces.append(text)
        return OVER

    cdef Step element(self, Node node) except *:
        """Adds an element as a row, and says whether to go into it."""
        cdef size_t size = 0
        cdef Letters name = lexbor.name(node, &size)
        cdef int code = find_code(name, size), attrs
        if FLAGS[code] & PROGRAM:
            if code == SCRIPT and not self.spliced:
                self.script(node)
            return OVER
        if code == TEMPLATE:
            if find_attribute(node, b"shadowrootmode") == NULL:
                return OVER
            self.find_contents()
            code = DIV
        attrs = self.different.number(node)
        if code == NOSCRIPT:
            self.unscripted += len(text_of(node))
            if self.open_noscript and not self.opened:
                code, attrs = DIV, 0
        self.flush()
        self.breaks += FLAGS[code] & BREAKING
        if code == OTHER:
            self.names[self.row] = decode(name, size)
        self.add(code, "", attrs)
        if FLAGS[code] & VOID and lexbor.first_child(node) == NULL:
            return OVER
        self.within = self.row - 1
        self.level += 1
        return INTO

    cdef int script(self, Node node) except -1:
        """Keeps a script that holds data, or that sets a state."""
        cdef Node inside = lexbor.first_child(node)
        cdef size_t size = 0
        cdef Letters letters
        if inside == NULL or lexbor.next(inside) != NULL:
            inside = node  # lexbor joins several texts, which copies them
        kind = value_of(find_attribute(node, b"type")).lower()
        if "json" in kind:
            self.data.append((kind, text_of(inside)))
        elif find_attribute(node, b"src") == NULL:
            letters = lexbor.text(inside, &size)
            if letters != NULL and contains(letters, size, STATE, len(STATE), 0):
                self.programs.append(decode(letters, size))
        return 0

    cdef int flush(self) except -1:
        """Adds the text before a tag as a row."""
        if self.waiting:
            if self.pieces:
                self.waiting += "".join(self.pieces)
                self.pieces = []
            self.add(TEXT, self.waiting, 0)
            self.waiting = ""
        return 0

    cdef int close(self) except -1:
        """Ends the innermost element."""
        self.flush()
        cdef Row *row = &self.rows[self.within]
        self.breaks += FLAGS[row.tag] & BREAKING
        row.end = self.row
        self.within = row.parent
        self.level -= 1
        return 0

    cdef int add(self, int code, str text, int attrs) except -1:
        """Adds a row."""
        if self.row == self.room:
            self.room = 2 * self.room + 256
            self.rows = <Row *> grow(self.rows, self.room * sizeof(Row))
        cdef Row *row = &self.rows[self.row]
        row.tag, row.parent, row.depth, row.breaks = code, self.within, self.level, self.breaks
        row.attrs = attrs
        self.row += 1
        row.end = self.row
        self.text.append(text)
        self.attrs.append(self.different.texts[attrs])
        return 0

    cdef tuple columns(self):
        """The rows as columns."""
        cdef Py_ssize_t i, count = self.row
        codes, numbers = np.empty(count, dtype=np.uint8), np.empty((5, count), dtype=np.int32)
        cdef unsigned char[::1] tag = codes
        cdef int[:, ::1] ints = numbers
        cdef Row *row = self.rows
        for i in range(count):
            tag[i], ints[0, i], ints[1, i] = row.tag, row.parent, row.end
            ints[2, i], ints[3, i], ints[4, i] = row.depth, row.breaks, row.attrs
            row += 1
        parent, end, depth, breaks, attrs_at = numbers
        return (
            codes, parent, end, depth, breaks, self.text,
            self.attrs, attrs_at, self.different.texts, self.names,
        )


cdef class _Short:
    """A cache of short texts: half of a page's texts are the same few line breaks."""

    cdef list texts

    def __cinit__(self):
        self.texts = [""] * 64

    cdef str text_of(self, Node node):
        """The text of a node, from the cache if it is there."""
        cdef size_t size = 0
        cdef Letters letters = lexbor.text(node, &size)
        if letters == NULL:
            return ""
        if size > 48 or not size:
            return decode_text(letters, size)
        cdef Py_ssize_t place = (size + 7 * letters[size - 1]) & 63
        cdef str known = self.texts[place]
        if <size_t> len(known) == size and not memcmp(PyUnicode_DATA(known), letters, size):
            return known
        known = decode_text(letters, size)
        if <size_t> len(known) == size and known.isascii():  # its characters are its bytes
            self.texts[place] = known
        return known


cdef class _Attributes:
    """The different sets of attributes of elements, written as in HTML, each with a number.

    `letters` holds them one after the other; a table leads from their hashes to their numbers.
    """

    cdef list texts
    cdef unsigned char *letters
    cdef size_t used, space
    cdef size_t *begins
    cdef Number *hashes
    cdef int *table
    cdef int last

    def __cinit__(self):
        self.texts = [""]
        self.space = 1 << 14
        self.letters = <unsigned char *> grow(NULL, self.space)
        self.last = -1
        self.widen()

    def __dealloc__(self):
        PyMem_Free(self.letters)
        PyMem_Free(self.begins)
        PyMem_Free(self.hashes)
        PyMem_Free(self.table)

    cdef int number(self, Node element) except -1:
        """The number of an element's set of attributes; 0 if it has none."""
        cdef Node at = lexbor.first_attribute(element)
        if at == NULL:
            return 0
        cdef size_t begin = self.used
        while at != NULL:
            self.write(at)
            at = lexbor.next_attribute(at)
        cdef unsigned char *written = self.letters + begin
        cdef size_t size = self.used - begin
        cdef Number hash = hash_of(written, size)
        cdef int slot = hash & self.last, found
        while self.table[slot]:
            found = self.table[slot]
            if self.hashes[found] == hash and self.is_text(found, written, size):
                self.used = begin
                return found
            slot = (slot + 1) & self.last
        return self.keep(slot, hash, decode(written, size))

    cdef bint is_text(self, int number, const unsigned char *written, size_t size) noexcept:
        """Whether this text is the set of attributes with this number."""
        cdef size_t begin = self.begins[number]
        return self.begins[number + 1] - begin == size and not memcmp(
            self.letters + begin, written, size
        )

    cdef int keep(self, int slot, Number hash, str text) except -1:
        """Gives the attributes that were written last a number, and returns it."""
        cdef int number = len(self.texts)
        self.texts.append(text)
        self.table[slot] = number
        self.hashes[number], self.begins[number + 1] = hash, self.used
        if 2 * number > self.last:
            self.widen()
        return number

    cdef int widen(self) except -1:
        """Doubles the table, so that it is never more than half full."""
        cdef int size = max(2 * (self.last + 1), 512), number, slot
        self.table = <int *> grow(self.table, size * sizeof(int))
        self.hashes = <Number *> grow(self.hashes, size * sizeof(Number))
        self.begins = <size_t *> grow(self.begins, size * sizeof(size_t))
        memset(self.table, 0, size * sizeof(int))
        self.begins[0] = self.begins[1] = 0
        self.last = size - 1
        for number in range(1, len(self.texts)):
            slot = self.hashes[number] & self.last
            while self.table[slot]:
                slot = (slot + 1) & self.last
            self.table[slot] = number
        return 0

    cdef int write(self, Node at) except -1:
        """Writes an attribute as ` name="value"`."""
        cdef size_t name_size = 0, size = 0
        cdef Letters name = lexbor.attribute_name(at, &name_size)
        cdef Letters value = lexbor.attribute_value(at, &size)
        cdef bytes clean
        if value == NULL:
            size = 0
        cdef size_t most = self.used + name_size + 6 * size + 40  # `&nbsp;` is the longest
        if most > self.space:
            self.space = 2 * most
            self.letters = <unsigned char *> grow(self.letters, self.space)
        cdef unsigned char *to = self.letters + self.used
        to[0] = c" "
        memcpy(to + 1, name, name_size)
        to += name_size + 1
        to[0], to[1] = c"=", c'"'
        to += 2
        memcpy(to, value, size)
        memset(to + size, c"a", 32)
        if is_plain(to, size):
            to += size
        else:
            if find_widthless(value, size) & CONTROL:  # three bytes for one at most
                clean = drop_controls(decode(value, size)).encode()
                value, size = <Letters> PyBytes_AS_STRING(clean), len(clean)
            to = write_escaped(to, value, size)
        to[0] = c'"'
        self.used = to + 1 - self.letters
        return 0


cdef void *grow(void *memory, size_t size) except NULL:
    """The memory with a new size; raises `MemoryError` if there is none."""
    cdef void *more = PyMem_Realloc(memory, size)
    if more == NULL:
        raise MemoryError
    return more


cdef str decode(Letters letters, size_t size):
    """Bytes of UTF-8 as a string."""
    return PyUnicode_DecodeUTF8(<const char *> letters, size, "replace")


cdef str decode_text(Letters letters, size_t size):
    """Bytes of UTF-8 as a reader sees them, without characters of no width and controls. All later
    code relies on this."""
    cdef str text = decode(letters, size)
    return drop_widthless(text) if find_widthless(letters, size) else text


cdef str text_of(Node node):
    """The text of a node as it is written."""
    cdef size_t size = 0
    cdef Letters letters = lexbor.text(node, &size)
    return decode(letters, size) if letters != NULL else ""


cdef int find_code(Letters name, size_t size) noexcept:
    """The code of a name of elements; `OTHER` if unknown."""
    if size > 16:
        return OTHER
    cdef Number number = number_of(name, size)
    cdef int slot = find_slot(number)
    return CODES[slot] if NUMBERS[slot] else OTHER


cdef Number number_of(Letters name, size_t size) noexcept:
    """A name of up to 16 bytes as a number; all known names have different numbers."""
    cdef Number number = 0, more = 0
    memcpy(&number, name, min(size, 8))
    if size > 8:
        memcpy(&more, name + 8, size - 8)
    return number + more * <Number> 0x9E3779B97F4A7C15


cdef int find_slot(Number number) noexcept:
    """The slot of a number in the table, or the free slot for it."""
    cdef int slot = (number * <Number> 0xD6E8FEB86659FD93) >> 54
    while NUMBERS[slot] and NUMBERS[slot] != number:
        slot = (slot + 1) & 1023
    return slot


cdef Node find_attribute(Node element, bytes name):
    """The attribute of this name; NULL if there is none."""
    cdef Node at = lexbor.first_attribute(element)
    cdef size_t size = 0, wanted = len(name)
    cdef Letters letters
    while at != NULL:
        letters = lexbor.attribute_name(at, &size)
        if size == wanted and not memcmp(letters, <const char *> name, size):
            break
        at = lexbor.next_attribute(at)
    return at


cdef str value_of(Node at):
    """The value of an attribute; empty for NULL."""
    cdef size_t size = 0
    cdef Letters letters = lexbor.attribute_value(at, &size) if at != NULL else NULL
    return decode(letters, size) if letters != NULL else ""


cdef bint is_plain(const unsigned char *letters, size_t size) noexcept:
    """Whether a value needs no escaping for certain; 32 letters after it must be readable."""
    cdef size_t at
    cdef int i
    cdef unsigned char found
    for at in range(0, size, 32):
        found = 0
        for i in range(32):  # quotes, `&`, `<`, `>`, and what begins other escapes and drops
            found |= (
                (letters[at + i] & 0xFB == 0x22) | (letters[at + i] & 0xFD == 0x3C)
                | (letters[at + i] < 0x20) | (letters[at + i] == 0x7F) | (letters[at + i] == 0xC2)
                | (letters[at + i] == 0xE2) | (letters[at + i] == 0xEF)
            )
        if found:
            return False
    return True


cdef unsigned char *write_escaped(unsigned char *to, Letters letters, size_t size) noexcept:
    """Writes a value with entities, and returns the place after it."""
    cdef size_t i = 0, length
    cdef const char *sign
    while i < size:
        sign = NULL
        if letters[i] == c'"':
            sign, length = "&quot;", 6
        elif letters[i] == c"&":
            sign, length = "&amp;", 5
        elif letters[i] == c"<":
            sign, length = "&lt;", 4
        elif letters[i] == c">":
            sign, length = "&gt;", 4
        elif letters[i] == 0xC2 and i + 1 < size and letters[i + 1] == 0xA0:
            sign, length = "&nbsp;", 6
            i += 1
        if sign == NULL:
            to[0] = letters[i]
            to += 1
        else:
            memcpy(to, sign, length)
            to += length
        i += 1
    return to


cdef Number hash_of(const unsigned char *letters, size_t size) noexcept:
    """A hash of letters that differs from process to process."""
    cdef Number hash = _SECRET ^ size, eight = 0
    while size >= 8:
        memcpy(&eight, letters, 8)
        hash = (hash ^ eight) * _SECRET
        hash ^= hash >> 32
        letters += 8
        size -= 8
    eight = 0
    memcpy(&eight, letters, size)
    hash = (hash ^ eight) * _SECRET
    return hash ^ hash >> 32


_fill_tables()
