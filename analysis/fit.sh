#!/usr/bin/env bash
# fit: laws fitted to tables by gnuplot, whose `fit` gives standard errors.
#
#   analysis/fit.sh DATA FOLDER
#
# DATA    law, era, engine, workload, setting, x, y, u, trial, at, value, and block where the law takes it: one fit for
#         each law, engine, workload and setting. What x, y, u are is the law's (fit.gp); `at` says where the trial
#         lies, for the residuals.
# Writes into FOLDER:
#   fits.tsv       law, era, engine, workload, setting, parameter, n, value, se, low, high, degrees, note
#   residuals.tsv  law, era, engine, workload, setting, trial, at, measured, fitted
#
# The interval is value ± t se, t of n minus the number of parameters degrees of freedom.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?usage: fit.sh DATA FOLDER}
out=${2:?usage: fit.sh DATA FOLDER}
work=$(mktemp -d "$out/fit.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Data of which no fit can be made is an answer (it has no rows but "-"); anything else that gnuplot says is an error.
run_gnuplot() { # law
  : > "$work/residuals"
  gnuplot -d -c "$here/fit.gp" "$1" "$work/data" "$work/residuals" "$here/laws.gp" \
    > "$work/found" 2> "$work/errors" && return
  grep -qE 'Singular matrix|Undefined value during function evaluation' "$work/errors" && return
  echo "error: analysis/fit.gp: gnuplot refused the law $1: $(grep . "$work/errors" | tail -n 1); look at its data in $data" >&2
  return 1
}

fit_group() { # law era engine workload setting
  local labels
  labels=$(printf '%s\t%s\t%s\t%s\t%s' "$@")
  labels=$labels awk -F '\t' -v OFS='\t' 'NR == 1 || $1 OFS $2 OFS $3 OFS $4 OFS $5 == ENVIRON["labels"]' "$data" | cut -f 6- > "$work/data"
  run_gnuplot "$1"
  awk -v labels="$labels" -f "$here/student.awk" -f "$here/fit-to-rows.awk" "$work/data" "$work/residuals" "$work/found" >> "$out/fits.tsv"
  labels=$labels awk -F '\t' -v OFS='\t' '{ gsub(/ /, ""); print ENVIRON["labels"], $0 }' "$work/residuals" >> "$out/residuals.tsv"
}

printf 'law\tera\tengine\tworkload\tsetting\tparameter\tn\tvalue\tse\tlow\thigh\tdegrees\tnote\n' > "$out/fits.tsv"
printf 'law\tera\tengine\tworkload\tsetting\ttrial\tat\tmeasured\tfitted\n' > "$out/residuals.tsv"
tail -n +2 "$data" | cut -f 1-5 | awk '!seen[$0]++' | while IFS=$(printf '\t') read -r law era engine workload setting; do
  fit_group "$law" "$era" "$engine" "$workload" "$setting"
done
