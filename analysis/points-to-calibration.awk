#!/usr/bin/awk -f
# points-to-calibration: is an emulated core worth its share of a real one?
#
#   awk -f points-to-calibration.awk pairs.tsv roles.tsv points.tsv > calibration.tsv
#
# pairs.tsv   engine, workload, real, emulated: the settings of a point on whole cores, and of the same on emulated ones
# roles.tsv   of spec-to-roles.js
# points.tsv  era, engine, workload, setting, metric, n, mean, low, high; the metric saturation_hz is read
# Output:     engine, workload, emulated, real, core_share, emulated_hz, real_hz, ratio, agrees; ratio is real_hz * core_share /
#             emulated_hz, and agrees where it lies within 0.8 to 1.25. A pair that was not measured has "-", and does not.
#
#   engine          workload   emulated  real            core_share  emulated_hz  real_hz  ratio  agrees
#   engine.io-2014  saturated  -         cores=own-real  0.08        950          11000    0.926  yes

BEGIN { FS = OFS = "\t"; ratio_min = 0.8; ratio_max = 1.25 }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  engine[++pairs] = $column["engine"]; workload[pairs] = $column["workload"]
  real[pairs] = $column["real"]; emulated[pairs] = $column["emulated"]
  next
}

FILENAME == ARGV[2] { core_share[$column["engine"]] = $column["core_share"]; next }

$column["metric"] == "saturation_hz" { hz[$column["engine"], $column["workload"], $column["setting"]] = $column["mean"] }

END {
  print "engine", "workload", "emulated", "real", "core_share", "emulated_hz", "real_hz", "ratio", "agrees"
  for (i = 1; i <= pairs; i++) put(i)
}

function put(i,    share, emulated_hz, real_hz, ratio) {
  share = core_share[engine[i]] + 0
  emulated_hz = hz[engine[i], workload[i], emulated[i]] + 0
  real_hz = hz[engine[i], workload[i], real[i]] + 0
  ratio = emulated_hz > 0 ? real_hz * share / emulated_hz : 0
  print engine[i], workload[i], emulated[i], real[i], known(share), known(emulated_hz), known(real_hz), known(ratio), (ratio >= ratio_min && ratio <= ratio_max ? "yes" : "no")
}

function known(x) { return x > 0 ? sprintf("%.6g", x) : "-" }
