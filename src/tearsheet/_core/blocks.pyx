"""Rows of a page → blocks of an article: the loops over all rows, and the pass that builds blocks.

The pass keeps a stack of open elements, so nothing recurses, however deep the page is; the stack
knows where each element ends. Text collects in a line of styled pieces. The line becomes a
paragraph at a line break, at the edge of a block, and before another block. For each kind of
element, `tearsheet.article.builder` has a function that opens it and one that closes it.
"""

import re

from tearsheet import tags
from tearsheet.types import ListBlock, Origin, Paragraph, Run

ctypedef unsigned char Byte

SHAPES_BLOCKS = 1
INSIDE_LINES = 2
IS_CELL = 4
HIDES_TEXT = 8

cdef int TEXT = tags.TEXT, LINK = tags.CODES["a"]
cdef int SHAPES = SHAPES_BLOCKS, INSIDE = INSIDE_LINES, CELL = IS_CELL, HIDES = HIDES_TEXT
cdef int MOST_BOXES = 24  # how deep boxes nest; what is deeper becomes paragraphs

cdef dict MARKS = dict(tags.MARKS)
cdef tuple PLAIN = (frozenset(), None, None)  # a style: marks, link and note
cdef tuple FORMULA = (frozenset({"math"}), None, None)
cdef object BREAK = Run("\n")
cdef object new = tuple.__new__  # a third of the time that a named tuple's constructor takes
cdef object TEX = re.compile(r"\\[(\[]((?:[^\\]|\\[^()\[\]])+)\\[)\]]")  # none holds another's bracket


def mark_text(
    const Byte[::1] tag, const int[::1] end, const Byte[::1] flags,
    const int[::1] first, const int[::1] last, Byte[::1] text, int[::1] segment,
):
    """Marks the rows of text in the kept segments in `text`, which must be zero. `segment` gets,
    for every row, the last kept segment that begins at it or before it (-1: none)."""
    cdef Py_ssize_t row, at = -1, count = first.shape[0]
    cdef int hidden_until = 0
    for row in range(tag.shape[0]):
        if at + 1 < count and first[at + 1] == row:
            at += 1
        segment[row] = <int>at
        if flags[tag[row]] & HIDES and end[row] > hidden_until:
            hidden_until = end[row]
        if tag[row] == TEXT and at >= 0 and row <= last[at] and row >= hidden_until:
            text[row] = 1


def count_before(const Byte[::1] marked, int[::1] count):
    """Counts the marked rows before each row; the last entry is the count of all."""
    cdef Py_ssize_t row
    cdef int so_far = 0  # wider than the marks themselves: there are more than 255
    for row in range(marked.shape[0]):
        count[row] = so_far
        so_far += marked[row]
    count[marked.shape[0]] = so_far


def find_links(const Byte[::1] tag, const int[::1] end, const int[::1] count):
    """The rows of the links that hold something that `count` counts."""
    cdef Py_ssize_t row
    cdef list found = []
    for row in range(tag.shape[0]):
        if tag[row] == LINK and count[end[row]] > count[row]:
            found.append(row)
    return found


def choose_elements(
    const Byte[::1] tag, const int[::1] end, const int[::1] parent, const int[::1] count,
    const Byte[::1] flags, bint whole_lines, Byte[::1] chosen,
):
    """Marks the elements that shape blocks and hold something that `count` counts, and all cells of
    a marked table row. `whole_lines` leaves out elements inside lines. `chosen` must be zero."""
    cdef Py_ssize_t row
    cdef int flag
    for row in range(tag.shape[0]):
        flag = flags[tag[row]]
        if flag & SHAPES and not (whole_lines and flag & INSIDE):
            if count[end[row]] > count[row]:
                chosen[row] = 1
            elif flag & CELL and parent[row] >= 0:
                chosen[row] = chosen[parent[row]]


def find_joins(
    const int[::1] breaks, const int[::1] first, const int[::1] last, const int[::1] block,
    const Py_ssize_t[::1] kept,
):
    """For each kept segment, whether only one line break is between it and the one before, in the
    same block."""
    cdef Py_ssize_t i, segment, before = -1
    cdef list found = []
    for i in range(kept.shape[0]):
        segment = kept[i]
        found.append(
            before >= 0
            and breaks[first[segment]] - breaks[last[before]] == 1
            and block[segment] == block[before]
        )
        before = segment
    return found


cdef class OpenElement:
    """An element that the pass has entered and not yet left."""

    cdef readonly str name
    cdef readonly int row, end
    cdef readonly tuple style  # of the text around it
    cdef readonly object close
    cdef readonly list blocks
    cdef readonly list parts  # items of a list, entries of definitions, cells of a row, rows
    cdef public tuple runs

    def __cinit__(self, str name, int row, int end, tuple style):
        self.name, self.row, self.end, self.style = name, row, end, style
        self.close, self.runs = None, ()


cdef class Builder:
    """The pass over the kept rows, and the blocks that it has built so far."""

    cdef readonly object material, page
    cdef readonly tuple style
    cdef readonly list boxes  # the open elements that hold blocks or, named "line", runs
    cdef list stack, line, late, texts, whole, joins, score
    cdef dict openers
    cdef object open_special
    cdef const Byte[::1] tag
    cdef const int[::1] end, segments, breaks
    cdef bint spaced  # a space at this point would be one too many
    cdef int first, last, segment
    cdef int over  # the rows before this one are done

    def __init__(self, material, dict openers, open_special):
        cdef OpenElement root = OpenElement("article", 0, len(material.page) + 1, PLAIN)
        root.blocks = []
        self.material, self.page, self.openers = material, material.page, openers
        self.open_special = open_special
        self.tag, self.end = material.tag, material.end
        self.segments, self.breaks = material.segment, material.page.breaks
        self.texts = material.page.text
        self.whole, self.joins, self.score = material.whole, material.joins, material.score
        self.style, self.spaced, self.over = PLAIN, True, 0
        self.stack, self.boxes = [root], [root]
        self.line = []
        self.late = []  # figures and formulas inside a line; they follow it
        self.first = self.last = self.segment = -1

    def build(self):
        """The blocks of the article, in order."""
        cdef int row, code
        cdef set special = {
            *self.material.figures, *self.material.notes.targets, *self.material.posts,
        }
        cdef list stack = self.stack
        for row in self.material.rows:
            if row < self.over:
                continue
            while (<OpenElement>stack[-1]).end <= row:
                self._close()
            code = self.tag[row]
            if code == TEXT:
                self._add_text(row)
            elif code in MARKS:
                marks, href, note = self.style
                self.open_inline(row, (marks | {MARKS[code]}, href, note))
            elif row in special:
                self.open_special(self, row)
            else:
                opener = self.openers.get(code)
                if opener is not None:
                    opener(self, row)
        while len(stack) > 1:
            self._close()
        self.flush()
        return (<OpenElement>stack[0]).blocks

    cdef _add_text(self, int row):
        """Adds a row of text to the line, white space folded."""
        cdef int segment = self.segments[row]
        cdef str raw, text, whole
        cdef list words
        cdef bint spaced
        if segment != self.segment:
            self._turn(segment, row)
            whole = self.whole[segment]
            if whole:
                self._put(row, whole, False)
                return
        raw = self.texts[row]
        words = raw.split()
        if words:
            text = " ".join(words)
            if not self.spaced and raw[0].isspace():
                text = " " + text
            spaced = raw[-1].isspace()
            self._put(row, text + " " if spaced else text, spaced)
        elif raw and not self.spaced:
            self.line.append((" ", self.style))
            self.spaced = True

    cdef _put(self, int row, str text, bint spaced):
        """Adds a text to the line; TeX in brackets becomes formulas."""
        if not self.line:
            self.first = row
        self.last, self.spaced = row, spaced
        if "\\" in text and "code" not in self.style[0]:
            self.line += _split_formulas(text, self.style)
        else:
            self.line.append((text, self.style))

    cdef _turn(self, int segment, int row):
        """Begins a new segment: ends the paragraph, or adds a line break, or only goes on with the
        line after a formula."""
        cdef int before = self.segment
        cdef OpenElement box = self.boxes[-1]
        self.segment = segment
        if not self.line or self.breaks[row] == self.breaks[self.last]:
            return
        if (self.joins[segment] and segment == before + 1) or box.name == "line":
            self.line.append(("\n", PLAIN))
            self.spaced = True
        else:
            self.flush()

    cpdef flush(self):
        """Makes a paragraph of the line, and adds the blocks that wait for the end of the line."""
        cdef tuple runs
        cdef list late
        if self.line:
            runs = self._take_line()
            if runs:
                score = self.score[self.segment] if self.segment >= 0 else None
                origin = new(Origin, (0, self.first, self.last + 1, score))
                self.add(Paragraph(runs, origin))
        if self.late:
            late, self.late = self.late, []
            for block in late:
                self.add(block)

    cdef tuple _take_line(self):
        """Empties the line and returns its runs: one for each change of style, ends trimmed."""
        cdef list pieces = self.line
        cdef str text
        cdef tuple style
        self.line, self.spaced = [], True
        if len(pieces) == 1:
            text, style = pieces[0]
            text = text.strip(" ")
            return (_run(text, style),) if text else ()
        return tuple(trim_runs(_join_pieces(pieces)))

    cpdef add(self, block):
        """Adds a block to the innermost box: to its blocks, its list or its definitions."""
        cdef OpenElement box = self.boxes[-1]
        if box.name == "line":
            self.late.append(block)
        elif box.name == "list":
            if box.parts and isinstance(block, ListBlock):
                box.parts[-1].append(block)
            else:
                box.parts.append([block])
        elif box.name == "definitions":
            if not box.parts:
                box.parts.append(((), []))
            box.parts[-1][1].append(block)
        else:
            box.blocks.append(block)

    def add_beside_line(self, block):
        """Adds a block; if a line has begun, the block follows that line."""
        if self.line:
            self.late.append(block)
        else:
            self.add(block)

    def add_formula(self, int row, str tex):
        """Adds a formula to the line."""
        if self.line and self.breaks[row] != self.breaks[self.last]:
            self.flush()
        if not self.line:
            self.first = row
        self.last, self.spaced = row, False
        self.line.append((tex, FORMULA))

    cpdef bint fits(self):
        """Whether another box may open here; if not, its content becomes paragraphs."""
        cdef OpenElement box = self.boxes[-1]
        return box.name != "line" and len(self.boxes) < MOST_BOXES

    cpdef open(self, str name, int row, close):
        """Opens an element that holds blocks; one named "line" holds a line of runs."""
        cdef OpenElement box = OpenElement(name, row, self.end[row], self.style)
        self.flush()
        box.close, box.blocks, box.parts = close, [], []
        self.stack.append(box)
        self.boxes.append(box)

    cpdef open_inline(self, int row, tuple style):
        """Opens an element inside a line; its text has this style."""
        self.stack.append(OpenElement("inline", row, self.end[row], self.style))
        self.style = style

    def skip(self, int row):
        """Leaves out all rows of an element."""
        self.over = self.end[row]

    cdef _close(self):
        """Closes the innermost element, and returns to the style around it."""
        cdef OpenElement element = self.stack.pop()
        if element.close is not None:
            if element.name == "line":
                element.runs = self._take_line()
            else:
                self.flush()
            self.boxes.pop()
            element.close(self, element)
            if self.late:
                self.flush()
        self.style = element.style

    cpdef origin(self, int row):
        """The origin of a block that is made of one element."""
        return new(Origin, (0, row, self.end[row], None))


cdef list _split_formulas(str text, tuple style):
    """A text as pieces: formulas between TeX's own brackets, and the rest in this style."""
    pieces = [(piece, FORMULA if i % 2 else style) for i, piece in enumerate(TEX.split(text))]
    return [piece for piece in pieces if piece[0]]


cdef list _join_pieces(list pieces):
    """The pieces of a line as runs."""
    cdef list runs = []
    cdef str before = "", text
    cdef tuple style = PLAIN, own
    for text, own in pieces:
        if own == style and text != "\n" and own is not FORMULA:
            before += text
            continue
        if text == "\n":
            before = before.rstrip(" ")
        if before:
            runs.append(_run(before, style))
        if text == "\n":
            runs.append(BREAK)
            text = ""
        before, style = text, own
    if before:
        runs.append(_run(before, style))
    return runs


cdef object _run(str text, tuple style):
    """A run of this text and style."""
    return new(Run, (text, style[0], style[1], style[2]))


def trim_runs(list runs):
    """The runs, without line breaks and blanks at both ends."""
    while runs and (runs[-1] is BREAK or not runs[-1].text.strip()):
        runs.pop()
    while runs and (runs[0] is BREAK or not runs[0].text.strip()):
        del runs[0]
    if runs and runs[0].text[0] == " ":
        runs[0] = runs[0]._replace(text=runs[0].text[1:])
    if runs and runs[-1].text.endswith(" "):
        runs[-1] = runs[-1]._replace(text=runs[-1].text[:-1])
    return runs
