#!/usr/bin/python3
"""Writes what a terminal sends to its program into a file, byte by byte as it comes.

    tty_capture.py FILE

The terminal is raw, so that not even a carriage return is changed, and bracketed paste is off, as in a program that knows
nothing of it. What comes is shown as well. FILE is there once the terminal is ready.
"""
import os
import sys
import tty

tty.setraw(0)
os.write(1, b"\x1b[?2004l")
with open(sys.argv[1], "ab", buffering=0) as file:
    while data := os.read(0, 65536):
        file.write(data)
        os.write(1, data.replace(b"\r", b"<CR>").replace(b"\n", b"<LF>").replace(b"\x1b", b"<ESC>"))
