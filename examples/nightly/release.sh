#!/usr/bin/env bash
# Release and check a table, for cron or any scheduler: one line of log, and an exit code to act on.
#
#   release.sh DATA POLICY OUT LOG
#
# OUT is replaced by a proven file, or stays as it was. LOG gets one line of JSON, without any cell of a person.
# Exit codes are those of withhold: 0 done, 1 a requirement is not met, 2 bad input, 3 no table can meet the policy.
set -u
umask 077
if [ "$#" -ne 4 ]; then
    echo "usage: release.sh DATA POLICY OUT LOG" >&2
    exit 2
fi
data=$1 policy=$2 out=$3 log=$4
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

withhold release "$data" --policy "$policy" --out "$out" --json >"$work/release.json" 2>"$work/errors"
released=$?
audited=null
if [ "$released" -eq 0 ]; then
    withhold audit "$out" --policy "$policy" --original "$data" --checks-only --json >"$work/audit.json" 2>>"$work/errors"
    audited=$?
fi

python3 - "$work" "$released" "$audited" >>"$log" <<'PYTHON'
import datetime, json, pathlib, sys

work, released, audited = pathlib.Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
line = {"at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "release": released, "audit": audited}
if released == 0:
    made = json.loads((work / "release.json").read_text())
    line |= {"rows": made["n_rows"], "ncp": made["metrics"]["ncp"]["overall"], "sha256": made.get("sha256")}
    line["requirements"] = [
        {key: each.get(key) for key in ("kind", "asked", "reached", "ok")} for each in made["requirements"]
    ]
else:
    line["says"] = (work / "errors").read_text().strip().splitlines()[:5]
print(json.dumps(line, ensure_ascii=False))
PYTHON

cat "$work/errors" >&2
if [ "$released" -ne 0 ]; then exit "$released"; fi
exit "$audited"
