# cython: boundscheck=False, wraparound=False
"""HTML → the columns of a page, by a walk over lexbor's own tree: nothing is written out to be read
again.

The functions are lexbor's public ones, looked up in the library that selectolax brings, so that
neither its headers nor the layout of its structures are needed. `written.py` and `arrays.py` say
what the columns are: what these functions do not tell (what a shadow root holds) and what reads
otherwise once it is written (broken names, void elements in drawings) is left to them.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, memcpy, memset

import os

import numpy as np
import selectolax.lexbor

from tearsheet import tags
from tearsheet.page import tag_flags
from tearsheet.page.columns import BEHIND_EIGHT, FACTOR, NUMBERS, SLOTS, Columns

cdef extern from "dlfcn.h" nogil:
    void *dlopen(const char *path, int mode)
    void *dlsym(void *library, const char *name)
    int dlclose(void *library)
    int RTLD_LAZY, RTLD_NOLOAD

cdef extern from "Python.h":
    void *PyUnicode_DATA(object text)

cdef extern from "string.h" nogil:
    void *memmem(const void *where, size_t size, const void *what, size_t length)

ctypedef void *Node
ctypedef const unsigned char *Letters
ctypedef unsigned long long Number

cdef struct Lexbor:
    Node (*create)() noexcept nogil
    void (*set_scripting)(Node document, bint scripting) noexcept nogil
    void (*set_options)(Node document, unsigned int options) noexcept nogil
    unsigned int (*parse)(Node document, Letters html, size_t size) noexcept nogil
    Node (*destroy)(Node document) noexcept nogil
    int (*type)(Node node) noexcept nogil
    Node (*first_child)(Node node) noexcept nogil
    Node (*next)(Node node) noexcept nogil
    Node (*parent)(Node node) noexcept nogil
    unsigned char (*is_void)(Node node) noexcept nogil
    Letters (*name)(Node element, size_t *size) noexcept nogil
    Letters (*text)(Node node, size_t *size) noexcept nogil
    Node (*first_attribute)(Node element) noexcept nogil
    Node (*next_attribute)(Node attribute) noexcept nogil
    Letters (*attribute_name)(Node attribute, size_t *size) noexcept nogil
    Letters (*attribute_value)(Node attribute, size_t *size) noexcept nogil

cdef Lexbor lexbor
_FUNCTIONS = (  # in the order in which they stand there
    b"lxb_html_document_create",
    b"lxb_dom_document_scripting_set_noi",
    b"lxb_dom_document_opt_set_noi",
    b"lxb_html_document_parse",
    b"lxb_html_document_destroy",
    b"lxb_dom_node_type_noi",
    b"lxb_dom_node_first_child_noi",
    b"lxb_dom_node_next_noi",
    b"lxb_dom_node_parent_noi",
    b"lxb_html_node_is_void_noi",
    b"lxb_dom_element_qualified_name",
    b"lxb_dom_node_text_content",
    b"lxb_dom_element_first_attribute_noi",
    b"lxb_dom_element_next_attribute_noi",
    b"lxb_dom_attr_qualified_name",
    b"lxb_dom_attr_value_noi",
)


def bound(str path):
    """Whether a library that is loaded has all that the walk needs; then it is what the walk uses."""
    global lexbor
    cdef Lexbor found
    cdef void **functions = <void **> &found
    cdef Py_ssize_t i
    cdef void *library = dlopen(os.fsencode(path), RTLD_LAZY | RTLD_NOLOAD)
    if library == NULL:
        return False
    for i in range(len(_FUNCTIONS)):
        functions[i] = dlsym(library, <bytes> _FUNCTIONS[i])
        if functions[i] == NULL:
            dlclose(library)
            return False
    lexbor = found
    return True


AVAILABLE = bound(selectolax.lexbor.__file__)

cdef enum:
    ELEMENT = 1
    TEXT_NODE = 3
    INSTRUCTION = 7
    COMMENT = 8
    DOCTYPE = 10

cdef enum:
    WITHOUT_EVENTS = 1  # nobody listens to what happens to the tree

cdef enum Step:
    LEFT  # to the other way: what is here cannot be read so
    OVER
    INTO

cdef struct Row:
    int tag, parent, end, depth, breaks, attrs

cdef int TEXT = tags.TEXT, OTHER = tags.OTHER
cdef int NOSCRIPT = tags.CODES["noscript"], SCRIPT = tags.CODES["script"]
cdef int TEMPLATE = tags.CODES["template"]
cdef int BREAKING = tag_flags.BREAKING, VOID = tag_flags.VOID
cdef int OPAQUE = tag_flags.OPAQUE, PROGRAM = tag_flags.PROGRAM
cdef bytes STATE = b"_STATE__"
cdef const Number[::1] _NUMBERS = NUMBERS
cdef const unsigned char[::1] _SLOTS = SLOTS, _MEANING = tag_flags.FLAGS
cdef Number _FACTOR = FACTOR, _BEHIND_EIGHT = BEHIND_EIGHT
# Hashes are made with it, so that no page can be written to have many equal ones.
cdef Number _SECRET = int.from_bytes(os.urandom(8), "little") | 1


def count(bytes html, unsigned char sign):
    """How often a sign is in a page."""
    cdef const unsigned char *letters = html
    cdef Py_ssize_t size = len(html), at, i, found = 0
    cdef unsigned char some
    for at in range(0, size, 128):
        some = 0  # of so few that it holds their number
        for i in range(at, min(at + 128, size)):
            some += letters[i] == sign
        found += some
    return found


def read(bytes html):
    """The columns of a page, its data with their types, its programs that set a state, and how many
    characters stand in `<noscript>`; None where the tree has to be written to be read."""
    cdef _Walk walk = _Walk()
    try:
        if not walk.parse(html) or not walk.run():
            return None
    except UnicodeDecodeError:
        return None
    return walk.columns(), walk.data, walk.programs, walk.unscripted


cdef class _Walk:
    """The state of the walk; it holds the tree, and frees it."""

    cdef Node document
    cdef Row *rows
    cdef int room, row, level, breaks, within
    cdef Py_ssize_t unscripted
    cdef list text, attrs, data, programs, pieces
    cdef str waiting
    cdef dict names
    cdef _Attributes different
    cdef _Short short
    cdef bint has_template, tells_of_template

    def __cinit__(self):
        self.within = -1
        self.text, self.attrs, self.data, self.programs, self.names = [], [], [], [], {}
        self.different = _Attributes()
        self.short = _Short()
        self.waiting = ""  # the text before the next tag, or its first piece …
        self.pieces = []  # … and the others, where comments stand between

    def __dealloc__(self):
        if self.document != NULL:
            lexbor.destroy(self.document)
        PyMem_Free(self.rows)

    cdef bint parse(self, bytes html) except -1:
        """Whether lexbor has a tree of the page."""
        cdef Letters letters = html
        cdef size_t size = len(html)
        cdef unsigned int failure = 0
        with nogil:
            self.document = lexbor.create()
            if self.document != NULL:
                lexbor.set_scripting(self.document, True)
                lexbor.set_options(self.document, WITHOUT_EVENTS)
                failure = lexbor.parse(self.document, letters, size)
        return self.document != NULL and not failure

    cdef bint run(self) except -1:
        """Whether the whole tree was read."""
        cdef Node node = lexbor.first_child(self.document), following
        cdef Step step
        while node != NULL:
            step = self.visit(node)
            if step == LEFT:
                return False
            following = lexbor.first_child(node) if step == INTO else NULL
            if following == NULL:
                if step == INTO:
                    self.close()
                following = lexbor.next(node)
            while following == NULL and self.level:
                node = lexbor.parent(node)
                self.close()
                following = lexbor.next(node)
            node = following
        return not (self.has_template and self.tells_of_template)

    cdef Step visit(self, Node node) except *:
        cdef int kind = lexbor.type(node)
        if kind == ELEMENT:
            return self.element(node)
        if kind == TEXT_NODE:
            text = self.short.text_of(node)
            if not self.waiting:
                self.waiting = text
            elif text:
                self.pieces.append(text)
            return OVER
        return OVER if kind in (COMMENT, INSTRUCTION, DOCTYPE) else LEFT

    cdef Step element(self, Node node) except *:
        cdef size_t size = 0
        cdef Letters name = lexbor.name(node, &size)
        cdef int code = code_of(name, size)
        if code < 0:
            return LEFT
        cdef int meaning = _MEANING[code]
        if meaning & PROGRAM:
            return self.program(node, code)
        if code == TEMPLATE:
            self.has_template = True
            return LEFT if lexbor.first_child(node) or attribute(node, b"shadowrootmode") else OVER
        if lexbor.is_void(node) != (meaning & VOID != 0):
            return LEFT
        self.flush()
        self.breaks += meaning & BREAKING
        if code == OTHER:
            self.names[self.row] = decoded(name, size)
        self.add(code, "", self.different.number(node))
        if meaning & VOID:
            return OVER
        self.within = self.row - 1
        self.level += 1
        return self.raw(node, name, size) if meaning & OPAQUE else INTO

    cdef Step program(self, Node node, int code) except *:
        """Takes what a script holds, where that is of use."""
        cdef Node inside = lexbor.first_child(node)
        while inside != NULL:
            if lexbor.type(inside) != TEXT_NODE:
                return LEFT
            inside = lexbor.next(inside)
        if code != SCRIPT:
            return OVER
        kind = value_of(attribute(node, b"type"))
        if "json" in kind:
            self.data.append((kind.lower(), text_of(node)))
        elif "json" in kind.lower():
            return LEFT  # that is data, but for scripts of drawings
        elif not attribute(node, b"src"):
            self.look_for_state(node)
        return OVER

    cdef int look_for_state(self, Node node) except -1:
        cdef size_t size = 0
        cdef Letters letters = lexbor.text(node, &size)
        if letters != NULL and memmem(letters, size, <const char *> STATE, len(STATE)) != NULL:
            self.programs.append(decoded(letters, size))
        return 0

    cdef Step raw(self, Node node, Letters name, size_t size) except *:
        """Takes what an opaque element holds as its text."""
        cdef Node inside = lexbor.first_child(node)
        if inside != NULL:
            text = text_of(inside)
            ending = f"</{decoded(name, size)}>"
            if lexbor.type(inside) != TEXT_NODE or lexbor.next(inside) != NULL or ending in text:
                return LEFT
            if text:
                self.add(TEXT, text, 0)
            if self.rows[self.within].tag == NOSCRIPT:
                self.unscripted += len(text)
            if "<template " in text or "</template>" in text:
                self.tells_of_template = True
        self.close()
        return OVER

    cdef int flush(self) except -1:
        """The text before a tag becomes a row."""
        if self.waiting:
            if self.pieces:
                self.waiting += "".join(self.pieces)
                self.pieces = []
            self.add(TEXT, self.waiting, 0)
            self.waiting = ""
        return 0

    cdef int close(self) except -1:
        """The innermost element is over."""
        self.flush()
        cdef Row *row = &self.rows[self.within]
        self.breaks += _MEANING[row.tag] & BREAKING
        row.end = self.row
        self.within = row.parent
        self.level -= 1
        return 0

    cdef int add(self, int code, str text, int attrs) except -1:
        if self.row == self.room:
            self.room = 2 * self.room + 256
            self.rows = <Row *> grown(self.rows, self.room * sizeof(Row))
        cdef Row *row = &self.rows[self.row]
        row.tag, row.parent, row.depth, row.breaks = code, self.within, self.level, self.breaks
        row.attrs = attrs
        self.row += 1
        row.end = self.row
        self.text.append(text)
        self.attrs.append(self.different.texts[attrs])
        return 0

    cdef columns(self):
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
        return Columns(
            codes, parent, end, depth, breaks, self.text,
            self.attrs, attrs_at, self.different.texts, self.names,
        )


cdef class _Short:
    """Short texts that came before: half of a page's texts are the same few line breaks."""

    cdef list texts

    def __cinit__(self):
        self.texts = [""] * 64

    cdef str text_of(self, Node node):
        cdef size_t size = 0
        cdef Letters letters = lexbor.text(node, &size)
        if letters == NULL:
            return ""
        if size > 48 or not size:
            return decoded(letters, size)
        cdef Py_ssize_t place = (size + 7 * letters[size - 1]) & 63
        cdef str known = self.texts[place]
        if <size_t> len(known) == size and not memcmp(PyUnicode_DATA(known), letters, size):
            return known
        known = decoded(letters, size)
        if known.isascii():  # so that its letters are its bytes
            self.texts[place] = known
        return known


cdef class _Attributes:
    """The different attributes of elements, as they would be written, each with a number.

    They stand in `letters` one behind the other; a table leads from their hashes to their numbers.
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
        self.letters = <unsigned char *> grown(NULL, self.space)
        self.last = -1
        self.widen()

    def __dealloc__(self):
        PyMem_Free(self.letters)
        PyMem_Free(self.begins)
        PyMem_Free(self.hashes)
        PyMem_Free(self.table)

    cdef int number(self, Node element) except -1:
        """The number of an element's attributes; 0: it has none."""
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
        return self.keep(slot, hash, decoded(written, size))

    cdef bint is_text(self, int number, const unsigned char *written, size_t size) noexcept:
        cdef size_t begin = self.begins[number]
        return self.begins[number + 1] - begin == size and not memcmp(
            self.letters + begin, written, size
        )

    cdef int keep(self, int slot, Number hash, str text) except -1:
        """The new number of attributes that were written last."""
        cdef int number = len(self.texts)
        self.texts.append(text)
        self.table[slot] = number
        self.hashes[number], self.begins[number + 1] = hash, self.used
        if 2 * number > self.last:
            self.widen()
        return number

    cdef int widen(self) except -1:
        """A table twice as large; it is never more than half full."""
        cdef int size = max(2 * (self.last + 1), 512), number, slot
        self.table = <int *> grown(self.table, size * sizeof(int))
        self.hashes = <Number *> grown(self.hashes, size * sizeof(Number))
        self.begins = <size_t *> grown(self.begins, size * sizeof(size_t))
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
        """Writes an attribute: ` name="value"`."""
        cdef size_t name_size = 0, size = 0
        cdef Letters name = lexbor.attribute_name(at, &name_size)
        cdef Letters value = lexbor.attribute_value(at, &size)
        if value == NULL:
            size = 0
        cdef size_t most = self.used + name_size + 6 * size + 40  # `&nbsp;` is the longest
        if most > self.space:
            self.space = 2 * most
            self.letters = <unsigned char *> grown(self.letters, self.space)
        cdef unsigned char *to = self.letters + self.used
        to[0] = c" "
        memcpy(to + 1, name, name_size)
        to += name_size + 1
        to[0], to[1] = c"=", c'"'
        to += 2
        memcpy(to, value, size)
        memset(to + size, 0, 32)
        to = to + size if is_plain(to, size) else escaped(to, value, size)
        to[0] = c'"'
        self.used = to + 1 - self.letters
        return 0


cdef void *grown(void *memory, size_t size) except NULL:
    cdef void *more = PyMem_Realloc(memory, size)
    if more == NULL:
        raise MemoryError
    return more


cdef str decoded(Letters letters, size_t size):
    return PyUnicode_DecodeUTF8(<const char *> letters, size, NULL)


cdef str text_of(Node node):
    cdef size_t size = 0
    cdef Letters letters = lexbor.text(node, &size)
    return decoded(letters, size) if letters != NULL else ""


cdef int code_of(Letters name, size_t size) noexcept:
    """The code of an element's name; -1 where it reads otherwise once it is written."""
    cdef Number number = 0, more = 0
    cdef size_t i
    for i in range(size):
        if name[i] >= 128 or name[i] == c"<":
            return -1
        if i < 8:
            number |= <Number> name[i] << 8 * i
        elif i < 16:
            more |= <Number> name[i] << 8 * (i - 8)
    number += more * _BEHIND_EIGHT
    cdef int code = _SLOTS[(number * _FACTOR) >> 48]
    return code if _NUMBERS[code] == number else OTHER


cdef Node attribute(Node element, bytes name):
    """The attribute of this name, if there is one."""
    cdef Node at = lexbor.first_attribute(element)
    cdef size_t size = 0
    cdef Letters letters
    while at != NULL:
        letters = lexbor.attribute_name(at, &size)
        if letters[:size] == name:
            break
        at = lexbor.next_attribute(at)
    return at


cdef str value_of(Node at):
    cdef size_t size = 0
    cdef Letters letters = lexbor.attribute_value(at, &size) if at != NULL else NULL
    return decoded(letters, size) if letters != NULL else ""


cdef bint is_plain(const unsigned char *letters, size_t size) noexcept:
    """Whether nothing in a value is written in another way; zeros stand behind it."""
    cdef size_t at
    cdef int i
    cdef unsigned char found
    for at in range(0, size, 32):
        found = 0
        for i in range(32):  # a quote or `&`, `<` or `>`, and what a hard space begins with
            found |= (
                (letters[at + i] & 0xFB == 0x22) | (letters[at + i] & 0xFD == 0x3C)
                | (letters[at + i] == 0xC2)
            )
        if found:
            return False
    return True


cdef unsigned char *escaped(unsigned char *to, Letters letters, size_t size) noexcept:
    """Writes a value; where it ends."""
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
