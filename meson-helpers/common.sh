# shellcheck shell=bash
# What the scripts beside it share. Sourced, not run.

readonly swift_needed_major=6 swift_needed_minor=3
readonly swift_install_page='https://www.swift.org/install/linux/'
# How what people get is built: with the Swift runtime in it, since no toolchain can be counted on where it is installed, and each module
# optimized with a look at those below it. Stripped, and without the dynamic symbols that the driver exports for the runtime's sake: nobody
# looks any up, and what is exported is kept even where nothing calls it.
readonly release_options=(-c release --static-swift-stdlib -Xswiftc -cross-module-optimization -Xlinker --no-export-dynamic -Xlinker -s)

root=$(cd -- "${BASH_SOURCE[0]%/*}/.." && pwd)
session=''        # folder of the session of our own, once there is one
display_server='' # its X server

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The toolchain ------------------------------------------------------------------------------------------------------

# Ends the script unless the toolchain will do. Uses nothing but the shell: it runs before anything is installed. A swift
# that is there and does not start lacks libraries of its own: they come with the packages of the groups $@.
require_swift() {
  local told='' sentence="Matinee needs Swift $swift_needed_major.$swift_needed_minor or newer"
  command -v swift >/dev/null || fail "$sentence, and there is no swift on the PATH; get it from $swift_install_page"
  if ! told=$(swift --version 2>/dev/null); then
    install_packages "$@"
    told=$(swift --version 2>/dev/null) ||
      fail "$sentence, and the swift on the PATH does not start; get one for this system from $swift_install_page"
  fi
  if ! [[ $told =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]]; then
    fail "$sentence, and the swift on the PATH does not say which it is; get it from $swift_install_page"
  fi
  local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
  if ((major < swift_needed_major || (major == swift_needed_major && minor < swift_needed_minor))); then
    fail "$sentence, and this is Swift $major.$minor; get it from $swift_install_page"
  fi
}

# What has to be installed -------------------------------------------------------------------------------------------

# The only list of packages: group, package, and what proves that it is there, however it came.
#   pc:MODULE[>=VERSION]  pkg-config knows it     cmd:NAME  on the PATH     py:MODULE  a python3 imports it     GLOB  a file
packages() {
  cat <<'EOF'
toolchain  binutils              cmd:ld.gold
toolchain  git                   cmd:git
toolchain  libc6-dev             /usr/include/stdlib.h
toolchain  libstdc++-12-dev      /usr/lib/gcc/*/*/libstdc++.so
toolchain  libncurses6           /lib/*/libncurses.so.6
toolchain  libcurl4              /usr/lib/*/libcurl.so.4
toolchain  libsqlite3-0          /usr/lib/*/libsqlite3.so.0
toolchain  libxml2               /usr/lib/*/libxml2.so.2
toolchain  tzdata                /usr/share/zoneinfo/UTC
cores      pkg-config            cmd:pkg-config
cores      libsqlite3-dev        pc:sqlite3
cores      libssl-dev            pc:libcrypto>=3
cores      libxml2-dev           pc:libxml-2.0
cores      libcurl4-openssl-dev  pc:libcurl>=7.87
cores      libmicrohttpd-dev     pc:libmicrohttpd
window     libgtk-4-dev          pc:gtk4>=4.8
window     libsecret-1-dev       pc:libsecret-1
window     adwaita-icon-theme    /usr/share/icons/Adwaita/index.theme
window     librsvg2-common       /usr/lib/*/gdk-pixbuf-2.0/*/loaders/libpixbufloader-svg.so
window     fonts-dejavu-core     /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
window     dbus-daemon           cmd:dbus-run-session
virtual    xvfb                  cmd:Xvfb
virtual    openbox               cmd:openbox
driver     at-spi2-core          /usr/share/dbus-1/services/org.a11y.Bus.service
driver     libglib2.0-dev        pc:gio-2.0
driver     xdotool               cmd:xdotool
driver     imagemagick           cmd:import
python     python3               cmd:python3
python     python3-pip           py:pip
mail       openssl               cmd:openssl
mail       python3-aiosmtpd      py:aiosmtpd
proxy      nginx-light           /usr/sbin/nginx
openid     dbconfig-no-thanks    /usr/share/doc/dbconfig-no-thanks
openid     glewlwyd              cmd:glewlwyd
openid     chromium              cmd:chromium
desktop    gnome-keyring         cmd:gnome-keyring-daemon
desktop    libsecret-tools       cmd:secret-tool
desktop    python3-dbus          py:dbus
desktop    python3-gi            py:gi
desktop    desktop-file-utils    cmd:desktop-file-validate
desktop    appstream             cmd:appstreamcli
EOF
}

proven() {
  case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null ;;
    py:*) python_with "${1#py:}" >/dev/null ;;
    pc:*'>='*) local module=${1#pc:} && pkg-config --atleast-version="${module#*>=}" "${module%%>=*}" 2>/dev/null ;;
    pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
    *) compgen -G "$1" >/dev/null ;;
  esac
}

# Prints a python3 that imports $1: the one on the PATH, or the system's, which is where apt installs for.
python_with() {
  local python
  for python in "$(command -v python3)" /usr/bin/python3; do
    if [[ -x $python ]] && "$python" -c "import $1" 2>/dev/null; then
      printf '%s\n' "$python"
      return
    fi
  done
  return 1
}

# The packages of the groups $@ that are not there.
missing_packages() {
  local group package proof
  while read -r group package proof; do
    [[ " $* " == *" $group "* ]] || continue
    proven "$proof" || printf '%s\n' "$package"
  done < <(packages)
}

# True when apt has never heard of one of $@, as on a machine whose package lists were never fetched.
unknown_to_apt() {
  local package
  for package; do
    [[ $(apt-cache policy "$package" 2>/dev/null) == *'Candidate: '[!\(]* ]] || return 0
  done
  return 1
}

# Makes sure that the packages of the groups $@ are there.
install_packages() {
  local missing=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} > 0)) || return 0
  command -v apt-get >/dev/null || fail "Missing: ${missing[*]} (names of Debian packages). Please install them."
  if ((EUID != 0)); then
    say 'Some packages are missing. Please run:' >&2
    ! unknown_to_apt "${missing[@]}" || say '  sudo apt-get update' >&2
    say "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  say "Installing ${missing[*]}"
  # Its installation asks which database to set up, and fails without an answer.
  [[ " ${missing[*]} " != *' glewlwyd '* ]] || debconf-set-selections <<<'glewlwyd glewlwyd/config_type select No configuration'
  local updated=false
  if unknown_to_apt "${missing[@]}"; then
    apt_get update && updated=true
  fi
  if ! apt_get install "${missing[@]}"; then
    # Old package lists name files that are gone from the archive.
    $updated || { apt_get update && apt_get install "${missing[@]}"; } || true
  fi
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || fail "These packages could not be installed: ${missing[*]}"
}

apt_get() {
  local options=(-q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
  [[ $1 != install ]] || options+=(--no-install-recommends)
  DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" "$@" </dev/null
}

# Building -----------------------------------------------------------------------------------------------------------

# pkg-config's -pthread is not for SwiftPM, which says so at each start; that says nothing about this package.
without_noise() { sed -u '/prohibited flag(s)/d'; }

# `swift build`, `swift test` …: the first argument is the subcommand. Outside a session of our own what SwiftPM leaves in the temporary
# folder goes into the build folder.
swift_package() {
  local command=$1 temporary=$root/.build/tmp
  shift
  [[ -z $session ]] || temporary=$TMPDIR
  mkdir -p "$temporary"
  [[ $command != build ]] || forget_modules_of_former_notes
  (
    cd -- "$root"
    export TMPDIR=$temporary
    exec swift "$command" --manifest-cache none "$@" 2>&1
  ) | without_noise
}

# SwiftPM does not see that API notes change, and goes on with modules that were compiled by the former ones.
forget_modules_of_former_notes() {
  local cache notes
  notes=$(cat "$root"/Sources/System/*/*.apinotes | cksum)
  while read -r cache; do
    [[ $(cat "$cache/notes" 2>/dev/null) != "$notes" ]] || continue
    rm -rf -- "$cache"
    mkdir -p "$cache"
    printf '%s\n' "$notes" >"$cache/notes"
  done < <(find "$root/.build" -maxdepth 5 -type d -name ModuleCache 2>/dev/null)
}

# Builds the products $@ for release, of the flavour that people get unless MATINEE_FLAVOUR says otherwise.
# In a subshell: bash lets a variable that is given for one call alone, and made local there, go on after it.
build_release() (
  export MATINEE_FLAVOUR=${MATINEE_FLAVOUR:-release}
  for product; do
    swift_package build "${release_options[@]}" --product "$product" || exit
  done
)

# Where the release products are; also clears what the builds left in their temporary folder.
release_folder() {
  rm -rf -- "$root"/.build/tmp/TemporaryDirectory.*
  mkdir -p "$root/.build/tmp"
  (cd -- "$root" && TMPDIR=$root/.build/tmp swift build "${release_options[@]}" --manifest-cache none --show-bin-path 2>/dev/null)
}

# Counting tests ------------------------------------------------------------------------------------------------------

# Adds the results in the log $1 of `swift test` to passed, failed and skipped, and tells this log's own in counted and
# counted_bad. Knows the lines of XCTest (Test Case 'A.b' passed (0.1 seconds)) and of Swift Testing (✔ Test b() passed
# after 0.1 seconds.); other output may stand before them on the same line.
count_results() {
  local ok bad left_out
  read -r ok bad left_out < <(awk '
    /Test Case .* passed \([0-9.]+ seconds\)/ { ok++ }
    /(✔|━) Test .* passed after [0-9.]+ seconds/ { swift += !/(✔|━) Test (run|case) / }
    # Where all passed, how many there were: lines of single tests get lost when many write at once.
    /(✔|━) Test run with [0-9]+ tests? .*passed after/ { split($0, part, "run with "); told = part[2] + 0 }
    /Test Case .* failed \([0-9.]+ seconds\)/ || /✘ Test .* failed after [0-9.]+ seconds/ { bad += !/✘ Test (run|case) / }
    /Test Case .* skipped \([0-9.]+ seconds\)/ || /➜ Test .* skipped/ { left_out += !/➜ Test (run|case) / }
    END { if (told > swift + left_out) swift = told - left_out; print ok + swift, bad + 0, left_out + 0 }' "$1")
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left_out))
  counted=$((ok + bad + left_out)) counted_bad=$bad
}

# A desktop without a display ----------------------------------------------------------------------------------------

has_display() { [[ -n ${DISPLAY-} || -n ${WAYLAND_DISPLAY-} ]]; }

# A home folder of our own, and none of the caller's desktop, for every command that follows. Gone when the script ends.
open_session() {
  # Socket paths are short of room, so not in whatever folder TMPDIR names.
  session=$(mktemp -d /tmp/matinee.XXXXXX)
  trap close_session EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  mkdir -p "$session"/{home,config/gtk-4.0,cache,data,state,services,tmp}
  mkdir -m 700 "$session/runtime"
  unset DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS AT_SPI_BUS_ADDRESS GTK_A11Y NO_AT_BRIDGE GTK_THEME GTK_MODULES \
    GTK_DEBUG GDK_DEBUG GSK_RENDERER GSK_DEBUG GDK_SCALE GDK_DPI_SCALE XDG_SESSION_ID XDG_CURRENT_DESKTOP XDG_SESSION_TYPE DESKTOP_SESSION
  export HOME="$session/home" TMPDIR="$session/tmp" XDG_RUNTIME_DIR="$session/runtime" XDG_CONFIG_HOME="$session/config" \
    XDG_CACHE_HOME="$session/cache" XDG_DATA_HOME="$session/data" XDG_STATE_HOME="$session/state" \
    XDG_DATA_DIRS=/usr/local/share:/usr/share XDG_CONFIG_DIRS=/etc/xdg
}

# A session with an X server, a message bus and a window manager.
open_virtual_desktop() {
  open_virtual_display
  setsid openbox --sm-disable </dev/null >/dev/null 2>&1 &
  disown
}

# A session with an X server and a message bus: every window lies in the same corner.
open_virtual_display() {
  open_session
  write_desktop_settings
  export GDK_BACKEND=x11 GSETTINGS_BACKEND=memory GIO_USE_VFS=local
  # Compiled shaders are kept between the starts of a program, whatever home folder a test gives it: as at the second start that people make.
  export MESA_SHADER_CACHE_DIR="$session/cache"
  local answer=''
  start_and_read answer Xvfb -displayfd 3 -noreset -r -nolisten tcp -screen 0 1920x1200x24
  export DISPLAY=":$answer"
  display_server=$!
  start_and_read answer dbus-daemon --config-file="$session/session.conf" --nofork --nopidfile --print-address=3
  export DBUS_SESSION_BUS_ADDRESS=$answer
  disown
}

# Starts a program that draws one picture and ends, and fails unless GTK draws by GL, as it does for people: cairo forgives what GL aborts at.
# Says what the program says.
draw_by_gl() {
  local said status=0
  said=$(MATINEE_LOG=screens "$@" 2>&1) || status=$?
  grep -vE '^(screen|renderer) |^$' <<<"$said" || true
  ((status == 0)) || return "$status"
  # Later versions of GTK call theirs GskNglRenderer.
  [[ ${said,,} =~ renderer\ gsk[a-z]*gl[a-z]*renderer ]] || { printf 'GTK did not draw by GL: %s\n' "$said" >&2 && return 1; }
}

# Starts a server that writes one line to its descriptor 3 when it is ready, and puts that line into the variable $1.
start_and_read() {
  local into=$1 line=''
  shift
  rm -f "$session/ready"
  mkfifo "$session/ready"
  # Opened for both ways, so that a server that dies at once cannot block the script.
  exec {ready}<>"$session/ready"
  setsid "$@" 3>&"$ready" {ready}>&- </dev/null >"$session/server.log" 2>&1 &
  if ! IFS= read -r -t 20 -u "$ready" line; then
    cat "$session/server.log" >&2
    fail "$1 did not start."
  fi
  exec {ready}>&-
  printf -v "$into" %s "$line"
}

write_desktop_settings() {
  # Pictures come out the same everywhere, and nothing moves while one is taken; tests have transitions, as people do.
  cat >"$session/config/gtk-4.0/settings.ini" <<'EOF'
[Settings]
gtk-theme-name=Adwaita
gtk-icon-theme-name=Adwaita
gtk-font-name=DejaVu Sans 10
gtk-cursor-blink=0
gtk-xft-antialias=1
gtk-xft-hinting=1
gtk-xft-hintstyle=hintslight
EOF
  printf 'gtk-enable-animations=%d\n' "${animations:-0}" >>"$session/config/gtk-4.0/settings.ini"
  # One service only: on an ordinary bus each start would wake portals and the keyring.
  cp /usr/share/dbus-1/services/org.a11y.Bus.service "$session/services/" 2>/dev/null || true
  cat >"$session/session.conf" <<EOF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=$session</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$session/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
EOF
}

# What runs in the session, as process numbers: told apart by its folder in the environment, whatever group or session of
# processes it moved to. The commands named in $@ are left out.
session_processes() {
  local environment process name
  for environment in /proc/[0-9]*/environ; do
    process=${environment//[!0-9]/}
    [[ $process != "$$" && $process != "$BASHPID" && $process != "$display_server" ]] || continue
    grep -qzFx -- "XDG_RUNTIME_DIR=$session/runtime" "$environment" 2>/dev/null || continue
    name=''
    read -r name <"/proc/$process/comm" || continue
    [[ " $* " == *" $name "* ]] || printf '%s\n' "$process"
  done 2>/dev/null
}

# Ends what a test left running, and leaves the desktop be.
end_left_behind() {
  local left
  mapfile -t left < <(session_processes dbus-daemon openbox at-spi-bus-laun at-spi2-registr bash grep)
  ((${#left[@]} == 0)) || kill -KILL "${left[@]}" 2>/dev/null || true
}

close_session() {
  trap - EXIT
  [[ -n $session ]] || return 0
  local left
  # A second look catches what was just being started.
  for _ in 1 2; do
    mapfile -t left < <(session_processes grep)
    ((${#left[@]} == 0)) || kill -KILL "${left[@]}" 2>/dev/null || true
  done
  if [[ -n $display_server ]]; then
    # Asked, not killed: only then it takes its lock and socket away.
    kill "$display_server" 2>/dev/null || true
    wait "$display_server" 2>/dev/null || true
  fi
  rm -rf -- "$session"
  session='' display_server=''
}
