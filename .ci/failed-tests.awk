# What failed, and how many tests passed: of the log of `node --test --test-reporter=tap`, in which other lines may stand.
# usage: awk -f failed-tests.awk LOG
# A line for each failed test, with its file, its line and the first line of the reason; then "N passed, M failed":
#   not ok: a sentence (test/unit/some.test.js:12:1): Expected values to be strictly equal:
#   812 passed, 1 failed
# A test that failed only because one within it did is not named.

function value_of(line) { sub(/^[^:]*: */, "", line); gsub(/^'|'$/, "", line); return line }

function tell() {
  if (name != "" && kind != "subtestsFailed") print "not ok: " name (place == "" ? "" : " (" place ")") (reason == "" ? "" : ": " reason)
  name = kind = place = reason = ""
  is_reason_next = 0
}

/^ *not ok [0-9]+ - / {
  tell()
  if ($0 ~ / # (TODO|SKIP)/) next
  name = $0
  sub(/^ *not ok [0-9]+ - /, "", name)
  next
}
/^ *ok [0-9]+ - / || /^ *\.\.\.$/ { tell() }
is_reason_next && NF { reason = $0; sub(/^ */, "", reason); is_reason_next = 0 }
name != "" && reason == "" {
  if ($1 == "location:") { place = value_of($0); sub(/^.*\/test\//, "test/", place) }
  if ($1 == "failureType:") kind = value_of($0)
  if ($1 == "error:") { reason = value_of($0); if (reason ~ /^[|>]-?$/) { reason = ""; is_reason_next = 1 } }
}
$1 == "#" && $2 == "pass" { passed += $3 }
$1 == "#" && $2 == "fail" { failed += $3 }
END { tell(); print passed + 0 " passed, " failed + 0 " failed" }
