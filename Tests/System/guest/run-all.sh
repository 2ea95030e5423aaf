#!/bin/bash
# In the guest, as root: installs the programs once, then runs each scenario (or those named) and says how it ended.
export PROJECT=/opt/project
mkdir -p $PROJECT/.build
ln -s /mnt/tests $PROJECT/Tests
ln -s /mnt/systemd $PROJECT/systemd
ln -s /mnt/sources $PROJECT/Sources
# Not a link: install.sh finds the project by its own place.
cp -r /mnt/scripts $PROJECT/scripts
BLURT_BIN_DIR=/mnt/bin PREFIX=/usr bash $PROJECT/scripts/install.sh || exit 1

# A desktop's user has a seat and no group. His service manager has run since the boot, as a member.
gpasswd -d tester input >/dev/null
systemctl restart "user@$(id -u tester).service"

if [ $# -gt 0 ]; then
  scenarios=("${@/%/.sh}")
else
  scenarios=(/mnt/tests/System/*.sh)
fi
passed=0 failed=0
for scenario in "${scenarios[@]}"; do
  name=$(basename "$scenario" .sh)
  echo "--- $name"
  if timeout 600 bash "/mnt/tests/System/$name.sh"; then
    echo "ok: $name"
    passed=$((passed + 1))
  else
    echo "NOT OK: $name"
    failed=$((failed + 1))
  fi
done
echo "system: $passed passed, $failed failed"
[ $failed = 0 ]
