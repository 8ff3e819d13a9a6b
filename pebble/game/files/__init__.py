r"""Pebbling files: a header and one move a line, written, read and checked as streams.

A file looks like this; lines end with ``\n`` (``\r\n`` is read too) and the text is UTF-8::

    # pebbling 1
    # dag attention-forward Nq=2 Nk=2 d=2 dv=2
    # M 12
    load Q[0,0]
    compute S[0,0,0]
    store O[0,0]
    delete Q[0,0]

The first line says what the file is. The header goes up to the first line that does not begin with ``#``,
once ``dag`` and ``M`` have been seen; a line ``# rules recomputation=no sliding=yes`` names the rules that
differ from the ordinary ones. After the header, blank lines and lines beginning with ``#`` mean nothing. A
slide is written ``slide S[0,0,1] from S[0,0,0]``: the first vertex is computed into the word of the second.
"""
