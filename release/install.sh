#!/bin/sh
# Installs Intake @VERSION@: downloads the archive of this platform, verifies the signature of SHA256SUMS and the digest
# of the archive, and only then puts the binary in its place.
#
#   sh install.sh [--to DIR] [--from URL-OR-FOLDER]
#
# --to    folder of the binary; /usr/local/bin for root, ~/.local/bin for others
# --from  where the files of the release are, for a mirror or a folder on this machine
#
# The signature is verified by minisign, or by OpenSSL 3 where minisign is not installed. Compare the public key below
# with the one in the repository: whoever can change this file could change the key too.
set -eu

version='@VERSION@'
url='@URL@'
public_key='@PUBLIC_KEY@'

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

main() {
  to=''
  while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$1 needs a value"
    case "$1" in
      --to) to=$2 ;;
      --from) url=$2 ;;
      *) fail "unknown flag $1" ;;
    esac
    shift 2
  done
  if [ -z "$to" ]; then
    if [ "$(id -u)" = 0 ]; then to=/usr/local/bin; else to=$HOME/.local/bin; fi
  fi

  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no binary for $(uname -s) here; see the list of files of the release" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "there is no binary for $(uname -m)" ;;
  esac
  name=intake-$version-$system-$processor

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  get SHA256SUMS
  get SHA256SUMS.minisig
  verify_signature
  get "$name.tar.gz"
  verify_digest "$name.tar.gz"

  tar -xzf "$work/$name.tar.gz" -C "$work" "$name/intake"
  mkdir -p "$to"
  # Written beside the old binary and renamed: there is no moment without one.
  cp "$work/$name/intake" "$to/.intake.new"
  chmod 755 "$to/.intake.new"
  mv -f "$to/.intake.new" "$to/intake"
  echo "installed $("$to/intake" --version) as $to/intake"
}

get() {
  case "$url" in
    https://*) curl --proto '=https' --tlsv1.2 -fsSL -o "$work/$1" "$url/$1" || fail "cannot download $url/$1" ;;
    *://*) fail "only https:// and folders are used: $url" ;;
    *) cp "$url/$1" "$work/$1" || fail "there is no $1 in $url" ;;
  esac
}

verify_signature() {
  if command -v minisign >/dev/null 2>&1; then
    minisign -Vqm "$work/SHA256SUMS" -x "$work/SHA256SUMS.minisig" -P "$public_key" ||
      fail 'the signature of SHA256SUMS is wrong; nothing was installed'
    return
  fi
  case "$(openssl version 2>/dev/null)" in
    'OpenSSL 3.'* | 'OpenSSL 4.'*) ;;
    *) fail 'install minisign or OpenSSL 3 first: the signature cannot be verified without' ;;
  esac
  # A key is "Ed", its id (8 bytes) and 32 bytes; a signature "ED", the id and 64 bytes, over the BLAKE2b of the file.
  printf '%s\n' "$public_key" | openssl base64 -d -A >"$work/key"
  sed -n 2p "$work/SHA256SUMS.minisig" | openssl base64 -d >"$work/signature"
  [ "$(head -c 2 "$work/signature")" = ED ] || fail 'the signature of SHA256SUMS is of another kind; nothing was installed'
  [ "$(part "$work/key" 3 8 | openssl base64)" = "$(part "$work/signature" 3 8 | openssl base64)" ] ||
    fail 'SHA256SUMS was signed with another key; nothing was installed'
  part "$work/signature" 11 64 >"$work/signature.raw"
  # The ASN.1 around an Ed25519 key (RFC 8410).
  { printf '\060\052\060\005\006\003\053\145\160\003\041\000' && part "$work/key" 11 32; } >"$work/key.der"
  openssl dgst -blake2b512 -binary "$work/SHA256SUMS" >"$work/digest"
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key.der" -rawin -in "$work/digest" \
    -sigfile "$work/signature.raw" >/dev/null 2>&1 ||
    fail 'the signature of SHA256SUMS is wrong; nothing was installed'
}

# part FILE FROM LENGTH: bytes of a file, counted from 1.
part() {
  tail -c "+$2" "$1" | head -c "$3"
}

verify_digest() {
  wanted=$(awk -v name="$1" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$wanted" ] || fail "SHA256SUMS does not name $1; nothing was installed"
  if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum "$work/$1")
  else
    found=$(shasum -a 256 "$work/$1")
  fi
  [ "${found%% *}" = "$wanted" ] || fail "$1 is not the file that was signed; nothing was installed"
}

# Called at the end, so that a download that was cut runs nothing.
main "$@"
