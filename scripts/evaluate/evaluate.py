#!/usr/bin/python3
"""Lets the engines write down a small corpus of made speech and scores what they wrote. Started by scripts/evaluate.sh."""
import argparse
import json
import os
import subprocess
import sys
import time
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../Tests/Rig"))
import rig as parts  # noqa: E402
from rig import Rig, RigError, progress  # noqa: E402
from scoring import Score, corpus  # noqa: E402

KEY_VARIABLES = ("ASSEMBLYAI_API_KEY", "BLURT_OPENAI_API_KEY")
# It knows a clip again by its samples; silence around the speech may have been cut off.
STUB = """#!/usr/bin/python3
import json, sys, wave
heard = sys.stdin.buffer.read()[44:]
for path, text in json.load(open({book!r})):
    with wave.open(path) as file:
        if heard in file.readframes(file.getnframes()):
            sys.exit(print(text))
sys.exit("unknown clip")
"""


def speak(rig, voice, text, path):
    """A 16 kHz mono WAV file of a made voice."""
    raw = path + ".raw"
    if voice == "espeak-ng":
        rig.output(["espeak-ng", "-v", "en-us", "-s", "160", "-w", raw, text])
    else:
        rig.output(["flite", "-voice", voice, "-t", text, "-o", raw])
    rig.output(["sox", raw, "-r", "16000", "-c", "1", "-b", "16", path, "pad", "0.2", "0.3"])
    os.remove(raw)


def samples(path):
    with wave.open(path) as file:
        return file.readframes(file.getnframes())


def engines(rig, options):
    """The engines that can be asked, and why the others can't."""
    able, unable = ["command"], {}
    folder = parts.find_offline_engine()
    able += ["offline"] if folder else []
    if not folder:
        unable["offline"] = "not installed: scripts/fetch-offline-engine.sh"
    if os.environ.get("ASSEMBLYAI_API_KEY"):
        able.append("assemblyai")
    else:
        unable["assemblyai"] = "no key in ASSEMBLYAI_API_KEY"
    if options.openai:
        able.append("openai")
    else:
        unable["openai"] = "no server named with --openai"
    return able, unable, folder


def evaluate(rig, options):
    sentences = corpus(options.corpus)[: options.sentences or None]
    clips = []
    for voice in options.voices:
        for number, sentence in enumerate(sentences):
            path = os.path.join(rig.folder, f"{voice}-{number}.wav")
            speak(rig, voice, sentence.spoken, path)
            clips.append((sentence, path))
    seconds = sum(len(samples(path)) for _, path in clips) / 32_000
    progress(f"{len(clips)} clips, {seconds:.0f} s of speech")
    stub, notes = os.path.join(rig.folder, "stub"), os.path.join(rig.folder, "book.json")
    with open(notes, "w") as file:
        json.dump([(path, sentence.spoken) for sentence, path in clips], file)
    with open(stub, "w") as file:
        file.write(STUB.format(book=notes))
    os.chmod(stub, 0o755)
    able, unable, offline = engines(rig, options)
    environment = {name: os.environ[name] for name in KEY_VARIABLES if name in os.environ}
    rig.daemon(environment={**environment, "BLURT_OFFLINE_DIR": offline or os.path.join(rig.folder, "none"), "BLURT_LOG": "warning"})
    rig.ctl("settings", "set", "EngineCommand", json.dumps([stub]))
    if options.openai:
        rig.ctl("settings", "set", "OpenAIOrigin", options.openai)
    rows = []
    for engine in able:
        score, failed, began = Score(), 0, time.monotonic()
        texts = []
        for sentence, path in clips:
            code, answer = rig.ask("transcribe", path, "--engine", engine)
            if code != 0:
                failed += 1
                progress(f"{engine}: {answer.get('message')}")
            text = answer.get("text") or ""
            texts.append({"clip": os.path.basename(path), "meant": sentence.meant, "text": text})
            score.add(sentence, text)
        rows.append({"engine": "stub (says what was spoken)" if engine == "command" else engine, "score": score,
                     "failed": failed, "ratio": (time.monotonic() - began) / seconds, "texts": texts})
    return rows, unable


def table(rows):
    lines = ["| engine | clips | right | WER, as meant | WER, as spoken | words lost | disfluencies left | time / audio |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        score = row["score"]
        lines.append(
            f"| {row['engine']} | {score.sentences} | {score.exact} | {score.error_rate:.1%} | {score.verbatim_error_rate:.1%} "
            f"| {score.loss:.1%} | {score.disfluency:.0%} | {row['ratio']:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default=os.path.join(HERE, "corpus.txt"))
    parser.add_argument("--voices", nargs="+", default=["rms", "slt"], choices=["rms", "slt", "espeak-ng"])
    parser.add_argument("--sentences", type=int, help="only the first so many")
    parser.add_argument("--openai", metavar="URL", help="a server of OpenAI's kind; its key is in BLURT_OPENAI_API_KEY")
    parser.add_argument("--json", metavar="FILE", help="every text as well")
    options = parser.parse_args()
    try:
        with Rig() as rig:
            rows, unable = evaluate(rig, options)
    except (RigError, subprocess.TimeoutExpired) as error:
        sys.exit(f"evaluate: {error}")
    print(table(rows))
    for engine, reason in unable.items():
        print(f"not asked: {engine} ({reason})")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([{"engine": row["engine"], "texts": row["texts"]} for row in rows], file, ensure_ascii=False, indent=1)
    sys.exit(1 if any(row["failed"] for row in rows) else 0)


if __name__ == "__main__":
    main()
