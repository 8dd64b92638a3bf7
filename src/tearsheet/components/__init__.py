"""One file for each part of an article: title, images, metadata, print_link, next_page."""
