#!/usr/bin/env bash
# Installs Blurt for good, or removes it again.
#
#   scripts/install.sh [--uninstall]
#
# Environment: PREFIX (default /usr/local; under your home folder nothing needs root) and DESTDIR (a folder that stands for
# the root of the file system, for packagers). Builds for release first if that has not been done; BLURT_BIN_DIR names a
# folder of finished programs instead.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/common.sh
. "$root/scripts/common.sh"
prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}
uninstall=
case ${1-} in
  '') ;;
  --uninstall) uninstall=1 ;;
  -h | --help)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *)
    say "install.sh: unknown argument $1 (there is --uninstall)"
    exit 2
    ;;
esac
case $prefix in /*) ;; *) die "PREFIX must be an absolute path, not $prefix" ;; esac
prefix=${prefix%/}

# Where systemd looks for units of users, and udev for rules.
private=
case $prefix in
  /usr | /usr/local)
    units=$prefix/lib/systemd/user
    [ "$prefix" = /usr ] && rules=/usr/lib/udev/rules.d || rules=/etc/udev/rules.d
    ;;
  "${HOME:-/nonexistent}"/*)
    units=${XDG_DATA_HOME:-$HOME/.local/share}/systemd/user
    rules=
    private=1
    ;;
  *)
    units=/etc/systemd/user
    rules=/etc/udev/rules.d
    ;;
esac

files=()
# place MODE SOURCE TARGET
place() {
  files+=("$3")
  [ -z "$uninstall" ] || return 0
  install -D -m "$1" "$2" "$destination$3"
}

bin=${BLURT_BIN_DIR:-$root/.build/release}
if [ -z "$uninstall" ] && { [ ! -x "$bin/blurtd" ] || [ ! -x "$bin/blurtctl" ] || [ ! -x "$bin/blurt-offline" ]; }; then
  [ -z "${BLURT_BIN_DIR-}" ] || die "BLURT_BIN_DIR holds no blurtd, blurtctl and blurt-offline: $bin"
  need_swift
  say "Building for release (some minutes)…"
  build_release "$root" "$root/artifacts/build.log" blurtd blurtctl blurt-offline || exit 1
fi

for program in blurtd blurtctl blurt-offline; do place 755 "$bin/$program" "$prefix/bin/$program"; done
for page in blurtd blurtctl; do place 644 "$root/Sources/$page/$page.1" "$prefix/share/man/man1/$page.1"; done
place 755 "$root/scripts/fetch-offline-engine.sh" "$prefix/share/blurt/fetch-offline-engine.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# place_completion SHELL TARGET: the completions, written by the program that they complete.
place_completion() {
  [ -n "$uninstall" ] || "$bin/blurtctl" completion "$1" >"$work/completion.$1"
  place 644 "$work/completion.$1" "$prefix/share/$2"
}
place_completion bash bash-completion/completions/blurtctl
place_completion zsh zsh/site-functions/_blurtctl
place_completion fish fish/vendor_completions.d/blurtctl.fish
for unit in "$root"/systemd/*.service "$root"/systemd/*.socket; do
  name=$(basename "$unit")
  sed "s#^\(Exec[A-Za-z]*=\)/usr/bin/#\1$prefix/bin/#" "$unit" >"$work/$name"
  place 644 "$work/$name" "$units/$name"
done
if [ -n "$rules" ]; then
  for rule in "$root"/systemd/*.rules; do place 644 "$rule" "$rules/$(basename "$rule")"; done
fi

if [ -n "$uninstall" ]; then
  for file in "${files[@]}"; do rm -f "$destination$file"; done
  rmdir "$destination$prefix/share/blurt" 2>/dev/null || true
  say "Removed. Your settings and the offline engine's files under your home folder are left where they are."
  exit 0
fi

if [ -z "$destination" ] && [ -n "$rules" ] && [ "$(id -u)" = 0 ] && command -v udevadm >/dev/null; then
  # Without a running udev (a container) there is nothing to tell.
  if udevadm control --reload 2>/dev/null; then udevadm trigger --subsystem-match=input --action=change || true; fi
fi
if [ -n "$private" ]; then
  say "To let Blurt see its key, once: sudo cp '$root'/systemd/*.rules /etc/udev/rules.d/ && sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=input"
fi
say "Installed under $destination$prefix. Start it in your session: systemctl --user daemon-reload && systemctl --user enable --now blurtd.socket blurtd.service"
say "For dictation without a network: $prefix/share/blurt/fetch-offline-engine.sh"
