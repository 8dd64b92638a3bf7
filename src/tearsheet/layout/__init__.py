"""One file a format: `render(article, options) → bytes`. The file's name is the format's, and
its suffix; `MEDIA_TYPE` is its type."""
