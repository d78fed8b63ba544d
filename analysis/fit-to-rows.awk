#!/usr/bin/awk -f
# fit-to-rows: what fit.gp found, with 95 % intervals; what it did not find is said, too.
#
#   awk -v labels="$(printf 'usl\t2014\tsocketcluster-2014\tsaturated\t-')" -f student.awk -f fit-to-rows.awk data residuals found > fits
#
# data       x, y, u, trial, at, value, as fit.gp read it
# residuals  trial, at, measured, fitted, as it wrote it; empty where nothing was found
# found      what it printed: the names of the parameters, then parameter, value, se, degrees of freedom, or why there is none
# Output:    the labels, parameter, n, value, se, low, high, degrees, note; the header is the caller's
#
# residual_rms_rel is the root of the mean square of (measured - fitted) / fitted. A peak of throughput is given only where
# the interval of kappa lies above zero: elsewhere the data do not say that there is one.
#
#   usl  2014  socketcluster-2014  saturated  -  kappa  24  0.0031  0.0011  0.00082  0.0054  21  -

BEGIN { FS = OFS = "\t" }

FILENAME == ARGV[1] { if (FNR > 1) n++; next }

FILENAME == ARGV[2] { squares += (($3 - $4) / $4) ^ 2; residuals++; next }

$1 == "why" { why = $2; next }

$1 == "parameters" { count = split($2, names, " "); next }

{ value[$1] = $2; se[$1] = $3; degrees = $4 }

END {
  for (i = 1; i <= count; i++) put(names[i])
  print labels, "residual_rms_rel", n, residuals ? sprintf("%.6g", sqrt(squares / residuals)) : "-", "-", "-", "-", "-", "-"
}

function put(name,    half) {
  if (!(name in value)) { put_none(name, why == "" ? "did not converge" : why); return }
  if (degrees < 1) { print labels, name, n, sprintf("%.6g", value[name]), "-", "-", "-", 0, "as many parameters as data"; return }
  half = t_quantile(degrees, interval_level()) * se[name]
  if (name == "kappa") is_peak = value[name] - half > 0
  if (name == "peak" && !is_peak) { put_none(name, "the interval of kappa does not lie above 0"); return }
  print labels, name, n, sprintf("%.6g", value[name]), sprintf("%.6g", se[name]), sprintf("%.6g", value[name] - half), sprintf("%.6g", value[name] + half), degrees, "-"
}

function put_none(name, reason) { print labels, name, n, "-", "-", "-", "-", "-", reason }
