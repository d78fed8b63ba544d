#!/usr/bin/env bash
# reduce: what experiment 16 makes of its reduced tables, in the same folder.
#
#   experiments/16-engines/reduce.sh results/16-engines/<stamp>/reduced
#
# Reads trials.tsv, steps.tsv and disturbed.tsv, where there is one. Writes ranks.tsv: engines sorted by what a message costs at 1,000, 5,000 and 20,000 messages a second.
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
analysis=$(cd "$(dirname "$0")/../../analysis" && pwd)
[ -f "$reduced/steps.tsv" ] || printf 'trial\tblock\tera\tengine\tworkload\tsetting\tstep\tside\trole\n' > "$reduced/steps.tsv" # no trial of a sweep stands
disturbed=("$reduced/disturbed.tsv") # where a step of a sweep was flagged
[ -f "${disturbed[0]}" ] || disturbed=()
for rate_hz in 1000 5000 20000; do
  awk -v rate_hz="$rate_hz" -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/sweep.awk" -f "$analysis/moderate.awk" -f "$analysis/steps-to-ranks.awk" \
    "$reduced/trials.tsv" "$reduced/steps.tsv" ${disturbed[@]+"${disturbed[@]}"} | if [ "$rate_hz" = 1000 ]; then cat; else tail -n +2; fi
done > "$reduced/ranks.tsv"
