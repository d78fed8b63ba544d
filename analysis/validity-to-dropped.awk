#!/usr/bin/awk -f
# validity-to-dropped: the rules that flag a trial, a line each; exit 1 when there is none.
#
#   awk -F '\t' -v trial=b01-ws-listed -f validity-to-dropped.awk validity.tsv >> dropped.tsv
#
# validity.tsv  rule, value, bound, passed, severity, words
# Output:       trial, rule, value, bound
#
#   b01-ws-listed  late-sends  0.031  0.01

BEGIN { OFS = "\t" }
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["passed"] == "no" && $column["severity"] == "flag" { print trial, $column["rule"], $column["value"], $column["bound"]; flags++ }
END { exit flags == 0 }
