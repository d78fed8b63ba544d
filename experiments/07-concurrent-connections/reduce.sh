#!/usr/bin/env bash
# reduce: what experiment 7 makes of its reduced tables, in the same folder.
#
#   experiments/07-concurrent-connections/reduce.sh results/07-concurrent-connections/<stamp>/reduced
#
# Reads processes.tsv. Writes:
#   judged.tsv  of T14, how much the CPU of balancers differs: standard deviation over mean, where the kernel decides who accepts
set -euo pipefail
export LC_ALL=C
reduced=${1:?usage: reduce.sh REDUCED_FOLDER}
analysis=$(cd "$(dirname "$0")/../../analysis" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v role=balancer -f "$analysis/processes-to-cv.awk" "$reduced/processes.tsv" > "$work/trials"
{
  printf 'claim\tera\tworkload\tsetting\tmetric\tof\tto\tto_setting\tto_metric\tcriterion\n'
  for mix in 9+21+1 12+18+1; do
    printf 'T14\t2014\tdescribed\tprocesses=%s,scheduling=none\tbalancer_cpu_cv\tsocketcluster-2014\t-\t-\t-\t>0.19\n' "$mix"
  done
} > "$work/comparisons"
awk -f "$analysis/student.awk" -f "$analysis/interval.awk" -f "$analysis/trials-to-comparisons.awk" "$work/comparisons" "$work/trials" > "$reduced/judged.tsv"
