#!/bin/bash
# H-79 B-29 B-30: a user in no group reads the keyboards of the seat by the shipped rule alone; `doctor` names the link that
# is missing, one after the other; who leaves the machine reads nothing any more.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

rule=/usr/lib/udev/rules.d/70-blurt-uaccess.rules
[ -e $rule ] || fail "install.sh has installed no rule"
id -nG tester | grep -qw input && fail "tester is in the group input"
mv $rule "$work/rule"
udevadm control --reload
udevadm trigger --subsystem-match=input --action=change
udevadm settle
# What the rule gave before stays until somebody takes it.
for node in /dev/input/event*; do
  python3 -c "import os, sys; os.removexattr(sys.argv[1], 'system.posix_acl_access')" "$node" 2>/dev/null
  chmod 660 "$node"
done

someone_at_the_machine
keyboards
device plug first keys "First keyboard" >/dev/null
udevadm settle
key_service "The key was heard."
pid=$(daemon_pid)
missing() { # WORDS: doctor says so, and a hold does nothing
  doctor_says keyboard "c['state'] == 'failed' and '$1' in c['message'] and c['remedy']" ||
    fail "doctor does not say '$1': $(cat "$work/doctor-said")"
  echo "ok: B-30 $(cat "$work/doctor-said")"
}
missing "is not installed"
mv "$work/rule" /usr/lib/udev/rules.d/99-blurt-uaccess.rules
missing "comes too late"
mv /usr/lib/udev/rules.d/99-blurt-uaccess.rules $rule
missing "has not applied it"
bash -c "$(ctl doctor --json | python3 -c "
import json, sys
checks = json.loads(sys.stdin.read().splitlines()[-1])
print([c['remedy'] for c in checks.get('ack', checks)['checks'] if c['check'] == 'keyboard'][0].replace('sudo ', ''))")"
ready() { doctor_says keyboard "c['state'] == 'ok'"; }
wait_for "H-79 B-30 permissions that come late are noticed" 60 ready
[ "$(daemon_pid)" = "$pid" ] || fail "it was restarted"
hold first
let_go first
[ "$(recordings)" = 1 ] || fail "B-30 $(recordings) recordings"
echo "ok: B-30 tester ($(id -nG tester)) is heard by the rule alone"

nobody_at_the_machine
not_ready() { doctor_says keyboard "c['state'] == 'failed'"; }
wait_for "B-29 who has left the machine reads no key" 60 not_ready
cat "$work/doctor-said"
device down first RIGHTCTRL >/dev/null
device up first RIGHTCTRL >/dev/null
open_nodes() { find /proc/"$pid"/fd -lname '/dev/input/event*' | wc -l; }
[ "$(open_nodes)" = 0 ] || fail "B-29 $(open_nodes) devices are still open"
someone_at_the_machine
wait_for "B-29 back at the machine, the key is heard again" 60 ready
hold first
let_go first
[ "$(recordings)" = 2 ] || fail "B-29 $(recordings) recordings: a key pressed meanwhile has done something"
