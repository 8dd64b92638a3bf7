"""The parts of the generator of test pages; `samples.generate` puts them together.

language      what pages say, in 22 languages (data: languages.toml)
draft         a page in the making, and what it will be judged by
pictures      images and captions, in every position
print_links   print links: the true ones and the traps
next_links    pagers: the true ones and the traps
surroundings  titles, noise and layout traps
templates     how all of that becomes HTML
"""
