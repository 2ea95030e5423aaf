#!/usr/bin/python3
"""The dictation service, played by a local server that refuses what the real one refuses.

Python 3 standard library only (numpy speeds the comparison up where it is there). It parses HTTP/1.1 by itself, so that
the arrival of every chunk is seen, and checks each request against the byte layout of the specification (T-06 to T-34).

It also plays a server with OpenAI's route for transcriptions, which takes the same key as a Bearer token.

    strict_server.py --key KEY [--text TEXT] [--log FILE] [--tls CERT KEY] [--expect-audio FILE.wav] [--fault NAME ...]

Prints {"port": N} once it listens; ends on SIGTERM, or with --until-stdin-ends when its standard input does.

Log: one JSON object a line, with `t` from CLOCK_MONOTONIC in seconds and `connection`, a number:
    connection, request (method, target, headers without the key), config, chunk (bytes, audio_bytes so far),
    audio (bytes, seconds, sha256), comparison (correlation, lag_seconds, length_ratio), answer (status), fault, gone (reason),
    closed

Faults, by --fault (repeatable) or one a line in the --control file, which is read at each request and wins while it is
not empty. `text-answer` gives the OpenAI route's text bare, `page-answer` a page; `no-routes` lets it know that one route alone,
`no-key` lets it take requests without one. The warm-up route knows `close-idle` and `warm=STATUS` alone.
    401 402 403 404 408 415 429 500 502 503 504   that answer, after the body (429 with Retry-After: 7)
    413 413-plain              with and without error_code audio_too_large, after the body
    early=STATUS[@BYTES]       that answer as soon as the headers, or that much of the body, are there (early=413-plain)
    reset@BYTES reset@N%       the connection is reset after that much audio (percent of --expect-audio)
    reset-reused               a reused connection is reset at the first byte of a body
    close-idle reset-idle      the connection ends after the answer to a warm-up
    slow=BYTES                 reads that many bytes a second
    stall@BYTES                stops reading after that much of the body
    hang                       reads everything and never answers
    delay=MS                   answers that much later
    chunked-answer             the answer has no Content-Length
    gzip                       the answer is compressed, though nobody asked for it
    bom                        the answer begins with a byte-order mark
    quota                      with 429: the account has nothing left
    cut-answer                 the answer ends in the middle
    reset-after-answer         the connection is reset once the answer is out
    invalid-json no-text empty-text redirect
"""

import argparse
import array
import asyncio
import concurrent.futures
import gzip
import hashlib
import io
import json
import os
import re
import signal
import socket
import ssl
import struct
import sys
import time
import wave

RATE = 16_000
STREAMING_CAP = 120 * RATE * 2
WHOLE_CAP = 1_200 * RATE * 2
FLOOR = 3_200
OPENAI_ROUTES = ("/v1/audio/transcriptions", "/inference")
CONFIG_KEYS = {"sample_rate", "channels", "stt_prompt", "keyterms_prompt", "llm_instruction", "rewrite_mode"}
HEADERS = {"host", "accept", "authorization", "content-type", "content-length", "transfer-encoding", "user-agent",
           "proxy-connection"}
BOUNDARY = re.compile(r"multipart/form-data; boundary=(blurt-[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})")
REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
           404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large", 415: "Unsupported Media Type",
           417: "Expectation Failed", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}


class Refusal(Exception):
    """An answer that is not a transcript."""

    def __init__(self, status, message, code=None, headers=(), shape="error"):
        super().__init__(message)
        self.status, self.message, self.code, self.headers, self.shape = status, message, code, headers, shape


class Gone(Exception):
    """The connection ended, by either side, before an answer was due."""


class Form:
    """Takes the body apart while it arrives: config first, then audio (T-22, T-23)."""

    def __init__(self, boundary, cap):
        self.cap = cap
        self.audio = bytearray()
        self.config = None
        self.is_complete = False
        self._buffer = bytearray()
        dash = b"--" + boundary.encode()
        self._config_head = (dash + b'\r\nContent-Disposition: form-data; name="config"\r\n'
                             b"Content-Type: application/json\r\n\r\n")
        self._audio_head = (b"\r\n" + dash + b'\r\nContent-Disposition: form-data; name="audio"; filename="audio.pcm"\r\n'
                            b"Content-Type: audio/pcm\r\n\r\n")
        self._tail = b"\r\n" + dash + b"--\r\n"
        self._state = self._in_config_head

    def feed(self, piece):
        self._buffer += piece
        while self._state():
            pass

    def finish(self):
        if not self.is_complete:
            raise Refusal(400, "the body ends before its closing boundary")
        if len(self.audio) % 2:
            raise Refusal(400, "the audio ends within a sample")

    def _in_config_head(self):
        have = bytes(self._buffer[: len(self._config_head)])
        if not self._config_head.startswith(have):
            if b'name="a' in self._buffer:
                raise Refusal(400, "config must precede audio")
            raise Refusal(400, "the first part is not the config")
        if len(have) < len(self._config_head):
            return False
        del self._buffer[: len(have)]
        self._state = self._in_config
        return True

    def _in_config(self):
        end = self._buffer.find(b"\r\n--")
        if end < 0:
            if len(self._buffer) > 65_536:
                raise Refusal(400, "the config is too long")
            return False
        if len(self._buffer) - end < len(self._audio_head):
            return False
        if not self._buffer.startswith(self._audio_head, end):
            raise Refusal(400, "the second part is not the audio")
        self.config = check_config(bytes(self._buffer[:end]))
        del self._buffer[: end + len(self._audio_head)]
        self._state = self._in_audio
        return True

    def _in_audio(self):
        end = self._buffer.find(self._tail)
        if end >= 0:
            self.audio += self._buffer[:end]
            if len(self._buffer) > end + len(self._tail):
                raise Refusal(400, "bytes after the closing boundary")
            self.is_complete = True
            self._buffer.clear()
            self._state = self._at_end
        else:
            # What may be the start of the tail waits.
            keep = min(len(self._buffer), len(self._tail) - 1)
            count = len(self._buffer) - keep
            self.audio += self._buffer[:count]
            del self._buffer[:count]
        if len(self.audio) > self.cap:
            raise Refusal(413, "audio is too long", "audio_too_large")
        return False

    def _at_end(self):
        if self._buffer:
            raise Refusal(400, "bytes after the closing boundary")
        return False


class OpenAIForm:
    """The form of POST /v1/audio/transcriptions: text fields and one WAV file, each once."""

    FIELDS = {"model", "language", "prompt", "response_format", "temperature"}

    def __init__(self, boundary, cap):
        self.cap = cap
        self.boundary = boundary
        self.audio = bytearray()
        self.config = None
        self.second_parser = None
        self._body = bytearray()

    def feed(self, piece):
        self._body += piece
        # What has come so far; the samples alone once the form is complete.
        self.audio = self._body
        if len(self._body) > self.cap:
            raise Refusal(413, "file is too large")

    def finish(self):
        body = bytes(self._body)
        dash = b"--" + self.boundary.encode()
        if not body.startswith(dash + b"\r\n"):
            raise Refusal(400, "the body does not begin with its boundary")
        if not body.endswith(b"\r\n" + dash + b"--\r\n"):
            raise Refusal(400, "the body does not end with its closing boundary")
        fields, wav = {}, None
        for part in body[len(dash) + 2: -len(dash) - 6].split(b"\r\n" + dash + b"\r\n"):
            head, blank, content = part.partition(b"\r\n\r\n")
            if not blank:
                raise Refusal(400, "a part has no blank line after its headers")
            match = re.fullmatch(rb'Content-Disposition: form-data; name="([a-z_]+)"', head)
            if match:
                name = match.group(1).decode()
                if name in fields or name not in self.FIELDS:
                    raise Refusal(400, f"unexpected field: {name}")
                fields[name] = content.decode("utf-8")
                continue
            if head != (b'Content-Disposition: form-data; name="file"; filename="audio.wav"\r\n'
                        b"Content-Type: audio/wav") or wav is not None:
                raise Refusal(400, "unexpected part")
            wav = content
        if wav is None or not fields.get("model"):
            raise Refusal(400, "file and model are required")
        if fields.get("response_format", "json") != "json":
            raise Refusal(400, "response_format must be json")
        if not 0 <= float(fields.get("temperature", "0")) <= 1:
            raise Refusal(400, "temperature must be from 0 to 1")
        if "language" in fields and not re.fullmatch("[a-z]{2,3}", fields["language"]):
            raise Refusal(400, "language must be a code")
        if fields.get("prompt") == "":
            raise Refusal(400, "prompt must not be empty")
        self.second_parser = parse_again(body, self.boundary, fields, wav)
        if fields["model"] == "missing-model":
            raise Refusal(404, "Model missing-model is not installed locally.", shape="detail")
        self.audio = check_wav(wav)
        self.config = fields


def check_wav(raw):
    """The samples of a 16 kHz mono 16-bit WAV file whose sizes are right."""
    try:
        with wave.open(io.BytesIO(raw), "rb") as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
                raise Refusal(415, "the WAV file is not 16 kHz, mono, 16 bit")
            samples = file.readframes(file.getnframes())
    except (wave.Error, EOFError):
        raise Refusal(415, "the file is no WAV file") from None
    if len(samples) != len(raw) - 44 or int.from_bytes(raw[4:8], "little") != len(raw) - 8:
        raise Refusal(400, "the WAV file's sizes are not those of its header")
    return samples


def parse_again(body, boundary, fields, wav):
    """The same by a parser that servers use (python-multipart), where it is installed. Returns whether it was asked."""
    try:
        from python_multipart.multipart import MultipartParser
    except ImportError:
        try:
            from multipart.multipart import MultipartParser
        except ImportError:
            return False
    found, header, part = [], [bytearray(), bytearray()], []
    callbacks = {
        "on_part_begin": lambda: found.append(({}, bytearray())),
        "on_header_field": lambda data, start, end: header[0].extend(data[start:end]),
        "on_header_value": lambda data, start, end: header[1].extend(data[start:end]),
        "on_header_end": lambda: (found[-1][0].__setitem__(bytes(header[0]).lower(), bytes(header[1])),
                                  header[0].clear(), header[1].clear()),
        "on_part_data": lambda data, start, end: found[-1][1].extend(data[start:end]),
        "on_end": lambda: part.append(True)}
    parser = MultipartParser(boundary.encode(), callbacks)
    parser.write(body)
    parser.finalize()
    names = {}
    for headers, content in found:
        names[re.search(rb'name="([^"]*)"', headers[b"content-disposition"]).group(1).decode()] = bytes(content)
    if not part or names.pop("file", None) != wav or names != {name: value.encode() for name, value in fields.items()}:
        raise Refusal(400, "python-multipart reads another form")
    return True


def check_config(raw):
    """Types, names and caps (T-26 to T-33)."""

    def unique(pairs):
        if len({name for name, _ in pairs}) != len(pairs):
            raise Refusal(400, "a config field stands twice")
        return dict(pairs)

    try:
        config = json.loads(raw.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, UnicodeDecodeError):
        raise Refusal(400, "config is not valid JSON") from None
    if not isinstance(config, dict):
        raise Refusal(400, "config is not an object")
    unknown = sorted(set(config) - CONFIG_KEYS)
    if unknown:
        raise Refusal(400, "unknown config field: " + ", ".join(unknown))
    for name, value in (("sample_rate", RATE), ("channels", 1)):
        if config.get(name) != value or isinstance(config.get(name), bool):
            raise Refusal(400, f"{name} must be {value}")
    prompt = config.get("stt_prompt")
    if prompt is not None and not (isinstance(prompt, str) and 0 < len(prompt) <= 4_096):
        raise Refusal(400, "stt_prompt must have 1 to 4096 characters")
    instruction = config.get("llm_instruction")
    if instruction is not None and not (isinstance(instruction, str) and 0 < len(instruction.encode()) <= 2_048):
        raise Refusal(400, "llm_instruction must have 1 to 2048 bytes")
    terms = config.get("keyterms_prompt")
    if terms is not None:
        if not (isinstance(terms, list) and terms and all(isinstance(term, str) and term for term in terms)):
            raise Refusal(400, "keyterms_prompt must be a list of words")
        if len(terms) > 100 or sum(len(term.encode()) for term in terms) > 2_048:
            raise Refusal(400, "keyterms_prompt is over 100 terms or 2048 bytes")
    if config.get("rewrite_mode", "smart") not in ("smart", "fast"):
        raise Refusal(400, "rewrite_mode must be smart or fast")
    return config


def correlate(got, expected):
    """The normalised cross-correlation at the best lag, and that lag in seconds."""
    try:
        import numpy
    except ImportError:
        return correlate_slowly(got, expected)
    a = numpy.frombuffer(got, dtype="<i2").astype(numpy.float64)
    b = numpy.frombuffer(expected, dtype="<i2").astype(numpy.float64)
    scale = float(numpy.sqrt((a * a).sum() * (b * b).sum()))
    if not len(a) or not len(b) or not scale:
        return 0.0, 0.0
    size = 1 << (len(a) + len(b)).bit_length()
    product = numpy.fft.irfft(numpy.fft.rfft(a, size) * numpy.conj(numpy.fft.rfft(b, size)), size)
    best = int(product.argmax())
    lag = best if best < len(a) else best - size
    return float(product[best]) / scale, lag / RATE


def correlate_slowly(got, expected):
    """The same in plain Python: the lag from the loudness curves, then the value at 2 kHz."""

    def samples(raw):
        values = array.array("h")
        values.frombytes(raw[: len(raw) // 2 * 2])
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def best(a, b, lags):
        found = (-2.0, 0)
        for lag in lags:
            low, high = max(0, lag), min(len(a), len(b) + lag)
            if high > low:
                found = max(found, (sum(x * y for x, y in zip(a[low:high], b[low - lag: high - lag])), lag))
        return found

    a, b = samples(got), samples(expected)
    loud = [[sum(map(abs, v[i: i + 128])) / 128 for i in range(0, len(v) - 127, 128)] for v in (a, b)]
    if not loud[0] or not loud[1]:
        return 0.0, 0.0
    coarse = best(*loud, range(-len(loud[1]) + 1, len(loud[0])))[1] * 16
    thin = [[sum(v[i: i + 8]) / 8 for i in range(0, len(v) - 7, 8)] for v in (a, b)]
    value, lag = best(*thin, range(coarse - 20, coarse + 21))
    scale = (sum(x * x for x in thin[0]) * sum(x * x for x in thin[1])) ** 0.5
    return (value / scale if scale else 0.0), lag * 8 / RATE


class Server:
    def __init__(self, options):
        self.options = options
        self.log_file = open(options.log, "a", buffering=1, encoding="utf-8") if options.log else None
        self.connections = 0
        # One at a time, so that comparisons stand in the log in the order of the answers.
        self.comparer = concurrent.futures.ThreadPoolExecutor(1)
        self.expected = None
        if options.expect_audio:
            with wave.open(options.expect_audio, "rb") as file:
                if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
                    sys.exit("--expect-audio must be 16 kHz, mono, 16 bit")
                self.expected = file.readframes(file.getnframes())

    def log(self, event, connection, **fields):
        if self.log_file:
            line = {"event": event, "t": round(time.monotonic(), 6), "connection": connection, **fields}
            self.log_file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def faults(self):
        names = list(self.options.fault)
        if self.options.control:
            try:
                with open(self.options.control, encoding="utf-8") as file:
                    names = file.read().split() or names
            except OSError:
                pass
        return names

    # One connection

    async def serve(self, reader, writer):
        self.connections += 1
        connection = self.connections
        self.log("connection", connection, tls=writer.get_extra_info("ssl_object") is not None)
        requests = 0
        try:
            while await self.exchange(connection, requests, reader, writer):
                requests += 1
        except (Gone, OSError, asyncio.IncompleteReadError) as error:
            self.log("gone", connection, reason=str(error) or type(error).__name__)
        finally:
            writer.close()
            try:
                await asyncio.wait_for(writer.wait_closed(), 5)
            except (asyncio.TimeoutError, OSError):
                pass
            self.log("closed", connection)

    async def exchange(self, connection, earlier, reader, writer):
        """One request and its answer. Returns whether the connection stays."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise Gone("within the headers") from None
            self.log("gone", connection, reason="idle")
            return False
        lines = head.decode("latin-1").split("\r\n")
        method, target, version = (lines[0].split(" ") + ["", ""])[:3]
        pairs = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:] if line)]
        headers = dict(pairs)
        shown = {name: value if name != "authorization" else "<hidden>" for name, value in pairs}
        self.log("request", connection, method=method, target=target, version=version, headers=shown, reused=earlier > 0)
        if target.startswith("http://"):
            # Asked as a proxy.
            target = "/" + target.split("/", 3)[-1]
        faults = self.faults()
        form, ended = None, False
        try:
            if version != "HTTP/1.1":
                raise Refusal(400, "HTTP/1.1 expected")
            if len(headers) != len(pairs):
                raise Refusal(400, "a header stands twice")
            if "expect" in headers:
                raise Refusal(417, "no expectations")
            if not headers.get("user-agent"):
                raise Refusal(400, "no User-Agent")
            if method == "GET" and target == "/warm":
                return await self.warm(connection, headers, faults, writer)
            if method == "GET":
                return await self.question(connection, target, headers, faults, writer)
            self.check_route(method, target, headers, faults)
            form = OpenAIForm(self.boundary(headers), WHOLE_CAP) if target in OPENAI_ROUTES else Form(self.boundary(headers), STREAMING_CAP if target.endswith("/live") else WHOLE_CAP)
            await self.read_body(connection, earlier, target, headers, form, faults, reader, writer)
            ended = True
            form.finish()
            self.log("audio", connection, bytes=len(form.audio), seconds=len(form.audio) / RATE / 2,
                     sha256=hashlib.sha256(form.audio).hexdigest())
            if target in OPENAI_ROUTES:
                self.log("form", connection, config=form.config, second_parser=form.second_parser)
            await self.answer_transcript(connection, form, faults, writer, openai=target in OPENAI_ROUTES)
            asyncio.get_running_loop().run_in_executor(self.comparer, self.compare, connection, bytes(form.audio))
            return True
        except Refusal as refusal:
            body = {refusal.shape: refusal.message}
            if target in OPENAI_ROUTES and refusal.shape == "error":
                body = {"error": {"message": refusal.message, "type": "invalid_request_error", "code": None}}
            if refusal.code:
                body["error_code"] = refusal.code
            await self.respond(connection, writer, refusal.status, json.dumps(body), refusal.headers, keep=ended,
                               chunked="chunked-answer" in faults)
            if ended:
                return True
            await self.linger(reader, writer)
            return False

    async def warm(self, connection, headers, faults, writer):
        if "authorization" in headers:
            raise Refusal(400, "the warm-up carries no key")
        status = next((int(name[5:]) for name in faults if name.startswith("warm=")), 200)
        await self.respond(connection, writer, status, "{}", keep=True)
        if "reset-idle" in faults:
            await asyncio.sleep(0.05)
            self.reset(connection, writer, "reset-idle")
        return "close-idle" not in faults

    async def question(self, connection, target, headers, faults, writer):
        """The routes that only say something: the check of a key, a list of models, a sign of life."""
        given = headers.get("authorization")
        if target == "/v2/transcript?limit=1":
            status = next((int(name[6:]) for name in faults if name.startswith("check=")), 0)
            await self.respond(connection, writer, status or (200 if given == self.options.key else 401), "{}", keep=True)
            return True
        if target == "/v1/models" and "no-routes" not in faults:
            status = next((int(name[6:]) for name in faults if name.startswith("check=")), 0)
            right = given == "Bearer " + self.options.key or (given is None and "no-key" in faults)
            body = json.dumps({"object": "list", "data": [{"id": "whisper-1", "object": "model"}]})
            await self.respond(connection, writer, status or (200 if right else 401), body, keep=True)
            return True
        if target == "/health" and "no-routes" not in faults:
            status = next((int(name[7:]) for name in faults if name.startswith("health=")), 200)
            await self.respond(connection, writer, status, '{"status":"ok"}', keep=True)
            return True
        await self.respond(connection, writer, 404, '{"detail":"Not Found"}', keep=True)
        return True

    def check_route(self, method, target, headers, faults):
        if target not in ("/v1/transcribe/live", "/v1/transcribe") + OPENAI_ROUTES:
            raise Refusal(404, "no such route")
        if method != "POST":
            raise Refusal(405, "POST expected")
        if target in OPENAI_ROUTES:
            given = headers.get("authorization")
            if given != "Bearer " + self.options.key and not (given is None and "no-key" in faults):
                # Some servers say what they got.
                raise Refusal(401, f"Incorrect API key provided: {given}.")
            if "transfer-encoding" in headers or not headers.get("content-length", "").isdigit():
                raise Refusal(411, "a length is wanted")
            return
        unknown = sorted(set(headers) - HEADERS)
        if unknown:
            raise Refusal(400, "unexpected header: " + ", ".join(unknown))
        if not headers.get("authorization"):
            raise Refusal(401, "Missing API key")
        if headers["authorization"] != self.options.key:
            raise Refusal(401, "Invalid API key")
        if target.endswith("/live"):
            if "content-length" in headers or headers.get("transfer-encoding") != "chunked":
                raise Refusal(400, "the live route wants chunks")
        elif "transfer-encoding" in headers or not headers.get("content-length", "").isdigit():
            raise Refusal(400, "the whole-clip route wants a length")

    def boundary(self, headers):
        content_type = headers.get("content-type", "")
        if not content_type.startswith("multipart/form-data"):
            raise Refusal(415, "multipart/form-data expected")
        match = BOUNDARY.fullmatch(content_type)
        if not match:
            raise Refusal(400, "the boundary is not blurt- and an upper-case UUID")
        return match.group(1)

    async def read_body(self, connection, earlier, target, headers, form, faults, reader, writer):
        early = reset_at = stall_at = None
        speed = 0
        for name in faults:
            kind, _, rest = name.partition("=")
            if kind == "early":
                status, _, count = rest.partition("@")
                early = (status, int(count or 0))
            elif kind == "slow":
                speed = int(rest)
            elif name.startswith("reset@"):
                count = name[6:]
                whole = len(self.expected or b"")
                reset_at = whole * int(count[:-1]) // 100 if count.endswith("%") else int(count)
            elif name.startswith("stall@"):
                stall_at = int(name[6:])
        if early and early[1] == 0:
            raise self.refusal(early[0])
        total, config_logged = 0, False
        async for piece in self.pieces(headers, reader):
            if "reset-reused" in faults and earlier > 0:
                self.reset(connection, writer, "reset-reused")
            total += len(piece)
            form.feed(piece)
            self.log("chunk", connection, bytes=len(piece), audio_bytes=len(form.audio))
            if form.config is not None and not config_logged:
                config_logged = True
                self.log("config", connection, config=form.config)
            if early and total >= early[1]:
                raise self.refusal(early[0])
            if reset_at is not None and len(form.audio) >= reset_at:
                self.reset(connection, writer, "reset")
            if stall_at is not None and total >= stall_at:
                self.log("fault", connection, name="stall")
                await asyncio.Event().wait()
            if speed:
                await asyncio.sleep(len(piece) / speed)

    async def pieces(self, headers, reader):
        if "content-length" in headers:
            left = int(headers["content-length"])
            while left:
                piece = await reader.read(min(left, 65_536))
                if not piece:
                    raise Gone("within the body")
                left -= len(piece)
                yield piece
            return
        while True:
            try:
                size = int((await reader.readuntil(b"\r\n")).strip(), 16)
                piece = await reader.readexactly(size + 2)
            except (asyncio.IncompleteReadError, ValueError):
                raise Gone("within the body") from None
            if size == 0:
                return
            yield piece[:-2]

    # Answers

    def refusal(self, name):
        if name == "413":
            return Refusal(413, "audio is too long", "audio_too_large")
        if name == "413-plain":
            return Refusal(413, "payload too large")
        if name == "401":
            return Refusal(401, "Invalid API key")
        if name == "429-quota":
            return Refusal(429, "You exceeded your current quota, please check your plan and billing details.")
        if name == "429":
            return Refusal(429, "Too many requests", headers=["Retry-After: 7"])
        return Refusal(int(name), REASONS.get(int(name), "fault"))

    async def answer_transcript(self, connection, form, faults, writer, openai=False):
        for name in faults:
            if name.startswith("delay="):
                await asyncio.sleep(int(name[6:]) / 1_000)
            elif name == "hang":
                self.log("fault", connection, name="hang")
                await asyncio.Event().wait()
            elif name == "redirect":
                raise Refusal(302, "elsewhere", headers=["Location: /v1/elsewhere"])
            elif re.fullmatch(r"\d{3}(-plain)?", name) and not name.startswith("2"):
                raise self.refusal("429-quota" if name == "429" and "quota" in faults else name)
        text = self.options.text
        if "empty-text" in faults or len(form.audio) < FLOOR:
            text = ""
        body = {
            "text": text, "llm_response": text if self.options.llm_response is None else self.options.llm_response,
            "llm_error": None, "session_id": f"local-{connection}",
            "audio_duration_ms": len(form.audio) * 1_000 // RATE // 2, "request_time_ms": 1, "sync_time_ms": 1}
        if not text:
            body["llm_response"] = None
        if "no-text" in faults:
            del body["text"]
        if openai:
            body = {} if "no-text" in faults else {"text": text}
        raw = json.dumps(body, ensure_ascii=False)
        if openai and "text-answer" in faults:
            raw = text + "\n"
        if openai and "page-answer" in faults:
            raw = "<!doctype html><title>Sign in</title>"
        if "invalid-json" in faults:
            raw = raw[:-2]
        if "cut-answer" in faults:
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(raw.encode())}\r\n\r\n"
            writer.write((head + raw[:10]).encode())
            await writer.drain()
            raise Gone("cut-answer")
        if "bom" in faults:
            raw = "\ufeff" + raw
        await self.respond(connection, writer, 200, raw, keep=True, chunked="chunked-answer" in faults,
                           compressed="gzip" in faults)
        if "reset-after-answer" in faults:
            self.reset(connection, writer, "reset-after-answer")

    async def respond(self, connection, writer, status, body, headers=(), keep=False, chunked=False, compressed=False):
        raw = body.encode()
        if compressed:
            raw, headers = gzip.compress(raw), [*headers, "Content-Encoding: gzip"]
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Fault')}", "Content-Type: application/json", *headers]
        lines.append("Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(raw)}")
        if not keep:
            lines.append("Connection: close")
        if chunked:
            raw = b"%x\r\n" % len(raw) + raw + b"\r\n0\r\n\r\n"
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + raw)
        await writer.drain()
        self.log("answer", connection, status=status)

    async def linger(self, reader, writer):
        """Reads on for a moment, so that the answer is not lost in a reset."""

        async def discard():
            if writer.can_write_eof():
                writer.write_eof()
            while await reader.read(65_536):
                pass

        try:
            await asyncio.wait_for(discard(), 1)
        except (asyncio.TimeoutError, OSError):
            pass

    def reset(self, connection, writer, name):
        self.log("fault", connection, name=name)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        raise Gone(name)

    def compare(self, connection, audio):
        if self.options.save_audio:
            with wave.open(self.options.save_audio, "wb") as file:
                file.setframerate(RATE)
                file.setnchannels(1)
                file.setsampwidth(2)
                file.writeframes(audio)
        if self.expected is not None:
            correlation, lag = correlate(audio, self.expected)
            self.log("comparison", connection, correlation=round(correlation, 4), lag_seconds=round(lag, 4),
                     length_ratio=round(len(audio) / max(1, len(self.expected)), 4))

    async def run(self):
        context = None
        if self.options.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.options.tls)
        server = await asyncio.start_server(self.serve, self.options.host, self.options.port, ssl=context)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        if self.options.until_stdin_ends:
            loop.add_reader(0, lambda: None if os.read(0, 4_096) else stop.set())
        print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
        await stop.wait()
        # At once, whatever still hangs on purpose.
        os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="test-key")
    parser.add_argument("--text", default="This is what was said.", help="the words, or @FILE with them")
    parser.add_argument("--llm-response", help="the rewrite; the text if not given")
    parser.add_argument("--log")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--expect-audio", metavar="WAV")
    parser.add_argument("--save-audio", metavar="WAV")
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--control", metavar="FILE")
    parser.add_argument("--until-stdin-ends", action="store_true")
    options = parser.parse_args()
    if options.text.startswith("@"):
        with open(options.text[1:], encoding="utf-8") as file:
            options.text = file.read()
    asyncio.run(Server(options).run())


if __name__ == "__main__":
    main()
