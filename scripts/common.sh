# shellcheck shell=bash
# What run.sh and check.sh share: messages, the toolchain, packages of the distribution. Sourced, never run.

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# One sentence and the way to get it, before anything else is installed.
need_swift() {
  local version
  if ! command -v swift >/dev/null; then
    die "Swift 6.2 or newer is needed to build Blurt and was not found: install it as https://swift.org/install says, then run this again."
  fi
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
  if [ -z "$version" ] || [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" != 6.2 ]; then
    die "Swift 6.2 or newer is needed to build Blurt, and this is ${version:-an unknown version}: install a newer one as https://swift.org/install says, then run this again."
  fi
}

is_debian() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 1
  # shellcheck source=/dev/null
  case " $(. "${BLURT_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID-} ${ID_LIKE-}") " in
    *" debian "* | *" ubuntu "*) return 0 ;;
  esac
  return 1
}

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
  done
}

# On another distribution: true if the libraries are known to pkg-config and the programs are in PATH.
has_what_is_needed() {
  local package
  for package in "$@"; do
    case $package in
      pkg-config | flite | pulseaudio | openbox | xdotool | openssl | gcc | sox | xclip | xterm | icewm | mandoc | shellcheck | git | socat | playerctl)
        command -v "$package" >/dev/null || return 1
        ;;
      libasound2-dev) pkg-config --exists alsa || return 1 ;;
      libpulse-dev) pkg-config --exists libpulse || return 1 ;;
      libcurl4-openssl-dev) pkg-config --exists libcurl || return 1 ;;
      libevdev-dev) pkg-config --exists libevdev || return 1 ;;
      libx11-dev | libxtst-dev | libxfixes-dev) pkg-config --exists "$(echo "$package" | sed 's/^lib//;s/-dev$//')" || return 1 ;;
      pulseaudio-utils) command -v paplay >/dev/null || return 1 ;;
      i3-wm) command -v i3 >/dev/null || return 1 ;;
      xvfb) command -v Xvfb >/dev/null || return 1 ;;
      netcat-openbsd) command -v nc >/dev/null || return 1 ;;
      dbus) command -v dbus-daemon >/dev/null || return 1 ;;
      libsecret-tools) command -v secret-tool >/dev/null || return 1 ;;
      gnome-keyring) command -v gnome-keyring-daemon >/dev/null || return 1 ;;
      python3-multipart) /usr/bin/python3 -c "import multipart" 2>/dev/null || return 1 ;;
      at-spi2-core) [ -x /usr/libexec/at-spi-bus-launcher ] || [ -x /usr/lib/at-spi2-core/at-spi-bus-launcher ] || return 1 ;;
      python3-pyqt5) /usr/bin/python3 -c "import PyQt5.QtWidgets" 2>/dev/null || return 1 ;;
      libglib2.0-bin) command -v gdbus >/dev/null || return 1 ;;
      python3-jsonschema) /usr/bin/python3 -c "import jsonschema" 2>/dev/null || return 1 ;;
      x11-utils) command -v xprop >/dev/null || return 1 ;;
      imagemagick) command -v import >/dev/null || return 1 ;;
      gir1.2-*) /usr/bin/python3 -c "import gi; gi.require_version('Gtk','3.0'); gi.require_version('UMockdev','1.0')" 2>/dev/null || return 1 ;;
      systemd) command -v systemd-analyze >/dev/null || return 1 ;;
    esac
  done
}

# Installs what is missing in one call; the first argument says what for. Never removes a package to install another.
need_packages() {
  local purpose=$1 missing log
  shift
  if ! is_debian; then
    if has_what_is_needed "$@"; then return 0; fi
    say "This is neither Debian nor Ubuntu, so nothing is installed by itself. $purpose needs what these Debian packages hold:"
    say "  $*"
    return 1
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  say "$purpose needs these packages, which are installed now: $missing"
  local as=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "Installing needs root, and there is no sudo here: have them installed, then run this again."
      return 1
    fi
    as=(sudo)
  fi
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { "${as[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 update &&
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
      install -y --no-install-recommends --no-remove $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    say "The packages could not be installed (the lines above say why)."
    return 1
  fi
  rm -f "$log"
}

# To build the programs and to run them.
# shellcheck disable=SC2034
build_packages=(
  pkg-config libasound2-dev libcurl4-openssl-dev libevdev-dev libx11-dev libxtst-dev libxfixes-dev libpulse-dev
  libasound2-plugins ca-certificates
)
# To fetch the offline engine.
# shellcheck disable=SC2034
fetch_packages=(python3 python3-pip)
# To show a dictation without a person: a voice, a microphone, a screen, a window and a keyboard.
# shellcheck disable=SC2034
demo_packages=(
  flite pulseaudio pulseaudio-utils xvfb openbox xdotool x11-utils imagemagick fonts-dejavu-core
  python3 python3-gi gir1.2-gtk-3.0 umockdev gir1.2-umockdev-1.0 openssl
)
# To check everything.
# shellcheck disable=SC2034
check_packages=(
  libumockdev-dev gcc libc6-dev alsa-utils sox pocketsphinx-testdata xclip xterm x11-xserver-utils xauth python3-tk
  pipewire pipewire-pulse wireplumber
  nghttp2-server python3-jsonschema socat netcat-openbsd systemd dbus mandoc shellcheck procps git binutils file
  icewm i3-wm zsh fish playerctl libsecret-tools gnome-keyring python3-multipart sway wl-clipboard wtype foot grim
  at-spi2-core python3-pyqt5 libglib2.0-bin
)

# Builds products for release with the Swift runtime inside, quietly: the log is shown only on failure.
build_release() {
  local root=$1 log=$2 product
  shift 2
  mkdir -p "$(dirname "$log")"
  : >"$log"
  for product in "$@"; do
    # The client is linked wholly static: its whole process then takes 0.5 ms more than a bare C client instead of 12 ms. Its
    # flags differ, so it has a build folder of its own.
    local flags=()
    [ "$product" != blurtctl ] || flags=(-Xswiftc -static-executable --scratch-path "$root/.build-static")
    if ! swift build --package-path "$root" -c release --static-swift-stdlib --product "$product" ${flags[@]+"${flags[@]}"} \
      >>"$log" 2>&1 </dev/null; then
      grep -E 'error:|warning:' "$log" | sort -u | head -n 20 >&2 || tail -n 20 "$log" >&2
      say "Building $product failed; the whole log is $log"
      return 1
    fi
  done
  [ ! -x "$root/.build-static/release/blurtctl" ] || install -D "$root/.build-static/release/blurtctl" "$root/.build/release/blurtctl"
}
