# What a recording on Linux has of its machine, each a section.
cp -r "$DATA/tiny-run" run
sed -i 's/^  "recorder": {/  "system": {"boot": {"boot_utc": "2026-01-30T10:00:00.000Z"}, "swap": {"size_bytes": 2147483648}, "control_group": {"version": 1, "memory_limit_bytes": 4294967296, "processors": "1.500"}, "disks": {"sda model": "QEMU HARDDISK", "sda size_bytes": 274877906944, "sda rotational": "no"}},\n&/' run/manifest.json
stagetrace system run | grep -e ^boot -e ^swap -e ^control_group -e ^disks
stagetrace system run --format json | grep -e '"disks"' -e '"swap"'
