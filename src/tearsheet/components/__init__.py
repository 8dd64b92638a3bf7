"""One file a role of the article: title, images, metadata, print_link, next_page."""
