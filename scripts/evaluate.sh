#!/usr/bin/env bash
# Lets each engine write down a small corpus of made speech and prints one table: word errors against what was meant and
# against what was spoken, words lost, and how many of the disfluencies (um, repeats, false starts) are left.
#
#   scripts/evaluate.sh [--voices rms slt espeak-ng] [--sentences N] [--openai URL] [--json FILE]
#
# Asked are a stub, which repeats what was spoken, the offline engine if it is installed, the service if its key is in
# ASSEMBLYAI_API_KEY, and a server of OpenAI's kind if one is named. The speech goes to those and nowhere else.
#
# Needs the built programs (scripts/run.sh builds them). The corpus is scripts/evaluate/corpus.txt.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/common.sh
. "$root/scripts/common.sh"
need_packages "Evaluating" "${build_packages[@]}" flite espeak-ng sox || exit 1
exec /usr/bin/python3 "$root/scripts/evaluate/evaluate.py" "$@"
