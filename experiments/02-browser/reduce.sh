#!/usr/bin/env bash
# reduce: of each engine's first trial that stands, what its figure shows.
#
#   experiments/02-browser/reduce.sh results/02-browser/<stamp>/reduced
#
# analysis/reduce.sh runs it when trials.tsv is there. Reads trials.tsv and, beside the folder, trials/*/raw. Writes into the folder:
#   browser.tsv             trial, era, engine, t_s, count, value: the pings by the page, by the worker's own count, and sent by the
#                           clients since the start (count: page, worker, clients)
#   live-<engine>.png       the page in the middle of the window
#   end-<engine>.png        the page when all was quiet
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
trials="$reduced/../trials"
[ -d "$trials" ] || exit 0 # a result of record: these tables came with it

# The first trial of each engine: trial, era, engine
list_firsts() {
  awk -F '\t' -v OFS='\t' 'NR > 1 && !($4 in seen) { seen[$4]; print $1, $3, $4 }' "$reduced/trials.tsv"
}

# page.tsv and intervals.tsv of the trial's raw folder, one count a line
list_counts() { # trial era engine
  local raw="$trials/$1/raw" labels
  labels=$(printf '%s\t%s\t%s' "$@")
  awk -F '\t' -v OFS='\t' -v labels="$labels" '
    FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    "page_count" in column { print labels, $column["t_s"], "page", $column["page_count"]; print labels, $column["t_s"], "worker", $column["worker_count"]; next }
    { sent += $column["sent"]; print labels, $column["t_s"] + 1, "clients", sent }
  ' "$raw/browser/page.tsv" "$raw/client/intervals.tsv"
}

printf 'trial\tera\tengine\tt_s\tcount\tvalue\n' > "$reduced/browser.tsv"
list_firsts | while IFS=$(printf '\t') read -r trial era engine; do
  list_counts "$trial" "$era" "$engine" >> "$reduced/browser.tsv"
  cp "$trials/$trial/raw/browser/screenshot-live.png" "$reduced/live-$engine.png"
  cp "$trials/$trial/raw/browser/screenshot.png" "$reduced/end-$engine.png"
done
