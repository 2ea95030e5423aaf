#!/bin/sh
# make-cert.sh DIR [expired]: a certificate for the local server, signed by an authority of its own.
# Writes ca.pem (trust this one: SSL_CERT_FILE), cert.pem and key.pem. Valid for localhost and 127.0.0.1 for ten days, or
# until yesterday.
set -eu
case $#,${2-} in
1,) days=10 ;;
2,expired) days=-1 ;;
*) echo "usage: make-cert.sh DIR [expired]" >&2; exit 2 ;;
esac
command -v openssl >/dev/null || { echo "make-cert.sh: openssl is missing: apt install openssl" >&2; exit 1; }
mkdir -p "$1"
cd "$1"
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 10 -subj "/CN=Blurt test authority" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign" \
  -keyout ca-key.pem -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=localhost" \
  -keyout key.pem -out request.pem 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >extensions
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days "$days" -extfile extensions \
  -out cert.pem 2>/dev/null
rm -f ca-key.pem ca.srl request.pem extensions
