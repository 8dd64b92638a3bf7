"""Pages and trees that hypothesis makes up: broken ones, balanced ones, and articles."""

from __future__ import annotations

from hypothesis import strategies as st

# Pieces of pages, balanced and broken: whatever order they come in, lexbor makes a tree of it.
PIECES = [
    "<p>", "</p>", '<div class="a b">', "</div>", "<b>", "</b>", "<span>", "</span>", "<br/>",
    "</br>", "<hr>", "<img src=x>", "<ul><li>", "</ul>", "<table><tr><td>", "</table>", "<pre>\nx",
    "text ", "é漢字", " \r\n\t", "&amp; &lt;b&gt; &nbsp;", "&notanentity;", "&#x80;", "\x00",
    "&#0;", "<!-- a > b -->", "<!-->", "<!--->", "<!-- a --!>", "<!--", "-->", "<!x--", "</ x>",
    "<![CDATA[ x<y ]]>",
    "<?php echo 1 > 0 ?>", '<?xml version="1.0"?>', "<!doctype html>",
    "<noscript>", "</noscript>", "<iframe>", "</iframe>", "<xmp>", "</xmp>", "<noembed>",
    "</noembed>", "<textarea>", "</textarea>", "<title>", "</title>",
    "<iframe-box>", "</iframe-box>", "<noscript-x>",
    "<template>", "</template>", "<script>if (a<b) '</p>'</script>", "<style>p>a{}</style>",
    '<a href="x?a=1&b=2" title=\'a "q" > b < c\'>', "</a>", "<select><option>", "</select>",
    "<custom-element-with-a-long-name x>", "</custom-element-with-a-long-name>", "<x<y>",
    '<p a<b"c=1>', "<p =x =y>", "<p ' \" >", '<p \u00a0="x\u00a0y">', "<p\u2028x=1>", '<P ÀB="c">',
    '<p data-x="1" DATA-x="2">', '<p a="&quot;x&quot;&amp;lt;">', '<body id=2>', "<html lang=x>",
    "<head>", "<form>", "<button>", "<frameset>", "<math><mi>x", "</math>",
]  # fmt: skip
pages = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)

texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=8)
trees = st.recursive(
    texts.map(lambda text: text.replace("<", "&lt;")),
    lambda inner: st.tuples(
        st.sampled_from("div p ul li b span section td article x-y".split()), st.lists(inner)
    ).map(lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"),
    max_leaves=25,
)

WORDS = st.text("abcdefgäñ中文ж ", min_size=1, max_size=12).map(lambda text: f"{text}x ")
INLINE = st.recursive(
    WORDS,
    lambda inner: st.tuples(
        st.sampled_from("b i em strong code a span sub sup q del small kbd mark br".split()),
        st.lists(inner, min_size=1, max_size=3),
    ).map(lambda made: _element(made[0], made[1])),
    max_leaves=5,
)
BLOCK = st.recursive(
    INLINE.map(lambda inner: f"<p>{inner}</p>"),
    lambda inner: st.tuples(
        st.sampled_from(
            "div blockquote ul ol dl table h2 section pre figure details layout".split()
        ),
        st.lists(st.one_of(inner, INLINE), min_size=1, max_size=4),
    ).map(lambda made: _block(made[0], made[1])),
    max_leaves=12,
)


def _element(name: str, inner: list[str]) -> str:
    if name == "br":
        return "<br>".join(inner)
    attrs = ' href="/somewhere?a=1&amp;b=(2)"' if name == "a" else ""
    return f"<{name}{attrs}>{''.join(inner)}</{name}>"


def _block(name: str, inner: list[str]) -> str:
    if name in ("ul", "ol"):
        return f"<{name}>" + "".join(f"<li>{part}</li>" for part in inner) + f"</{name}>"
    if name == "dl":
        parts = (f"<{'dt' if i % 2 == 0 else 'dd'}>{part}" for i, part in enumerate(inner))
        return f"<dl>{''.join(parts)}</dl>"
    if name in ("table", "layout"):
        head = "<tr><th>left<th>right<th rowspan=2>both</tr>" if name == "table" else ""
        rows = (f"<tr><td>{part}</td><td></td></tr>" for part in inner)
        return f"<table>{head}{''.join(rows)}</table>"
    return f"<{name}>{''.join(inner)}</{name}>"


ARTICLE = st.lists(BLOCK, min_size=1, max_size=6).map(
    lambda blocks: (
        "<html><head><title>Of words</title></head><body><div class='top a1'><a href='/'>Home</a>"
        "</div><div class='text b2' id='main'><h1>Of words</h1>"
        f"{''.join(blocks)}</div><div class='foot c3'>Imprint</div></body></html>"
    )
)
"""A page with some blocks of text, and a little around them."""
