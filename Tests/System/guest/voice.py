#!/usr/bin/python3
"""A person in a quiet room, at one end of the loopback card.

    voice.py DEVICE SPEECH.wav

Plays the noise of a quiet room for ever (a real microphone never delivers exact zeros), and the speech whenever a line
comes on standard input. Prints `room` once the room is heard, and `spoken` when the last frame of the speech has been
played. Ends at the end of its input.
"""
import fcntl
import os
import random
import select
import subprocess
import sys
import wave

RATE = 16_000
PIECE = RATE // 20  # frames: 50 ms
F_SETPIPE_SZ = 1031


def main():
    device, speech = sys.argv[1:]
    with wave.open(speech) as file:
        words = file.readframes(file.getnframes())
    player = subprocess.Popen(
        ["aplay", "-q", "-D", device, "-t", "raw", "-f", "S16_LE", "-r", str(RATE), "-c", "1", "--buffer-time=300000"],
        stdin=subprocess.PIPE)
    # A write then waits for real time.
    fcntl.fcntl(player.stdin.fileno(), F_SETPIPE_SZ, 4096)
    source = random.Random(1)
    noise = b"".join(source.randint(-3, 3).to_bytes(2, "little", signed=True) for _ in range(RATE))
    begun = False
    at = 0
    while True:
        player.stdin.write(noise[at: at + 2 * PIECE])
        player.stdin.flush()
        at = (at + 2 * PIECE) % len(noise)
        if not begun:
            begun = True
            print("room", flush=True)
        if not select.select([0], [], [], 0)[0]:
            continue
        if not os.read(0, 4096):
            break
        player.stdin.write(words)
        # What is written is not played yet: as much noise as the player and the pipe may hold.
        player.stdin.write(noise)
        player.stdin.flush()
        print("spoken", flush=True)
    player.terminate()


if __name__ == "__main__":
    main()
