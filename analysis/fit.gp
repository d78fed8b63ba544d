# fit: one law to one table: gnuplot -d -c fit.gp LAW DATA RESIDUALS LAWS (laws.gp). fit.sh calls it; arguments are never evaluated.
#
# data    x, y, u (as the law takes them), trial, at, value: one line a trial. The logarithm of the value is fitted to that of
#         the law, each trial with the same weight: errors are shares of what is measured. The law `elasticity` takes the
#         trial's block, too: each block has a level of its own, since what a machine's mood changes, it changes for a block.
# Prints "parameters" and their names; then, if it converges, parameter, value, standard error, degrees of freedom, and if
# there is nothing to fit, "why".
# Writes residuals: trial, at, measured, fitted.
#
# Nothing is bounded: a share whose truth is 0 or 1 comes out on either side of it, and its interval says so. A parameter
# on a bound would have no standard error to trust.

law = ARG1; data = ARG2; residuals = ARG3
load ARG4
set datafile separator tab
set datafile columnheaders
set fit quiet logfile "/dev/null" errorvariables covariancevariables limit 1e-10 limit_abs 1e-14 maxiter 500
set dummy x, y, u, v
set print "-"
# Below 0 a law has no logarithm: far off, so that the search turns back
logged(throughput) = throughput > 0 ? log(throughput) : -1e3
derived = ""; levels = ""
if (law ne "elasticity") {
  stats data using (column("x") > 0 ? column("value") / column("x") : NaN) nooutput
  lambda = STATS_max
}

if (law eq "linear") {
  # x = 0 stands for the trials of the engine that all are compared with: the error of its rate is then in the slope's.
  slope = 0.5
  stats data using (column("x") == 0 ? column("value") : NaN) nooutput
  base = STATS_mean
  f(x, y, u, v) = logged(x == 0 ? base : linear(slope, base, x))
  parameters = "slope base"
}
if (law eq "amdahl") { p = 0.9; f(x, y, u, v) = logged(amdahl(lambda, p, x)); parameters = "lambda p" }
if (law eq "gustafson") { a = 0.1; f(x, y, u, v) = logged(gustafson(lambda, a, x)); parameters = "lambda a" }
if (law eq "usl") { sigma = 0.05; kappa = 0.001; f(x, y, u, v) = logged(usl(lambda, sigma, kappa, x)); parameters = "lambda sigma kappa"; derived = "peak" }
if (law eq "elasticity") {
  period = 0.9; connections = 0.9; size = 0.1
  blocks = ""; level = "0"
  note_block(block) = strstrt(blocks . " ", " " . block . " ") ? 0 : (blocks = blocks . " " . block, 0)
  stats data using (note_block(sprintf("%d", column("block")))) nooutput
  do for [block in blocks] { eval "level_" . block . " = 0.1"; level = level . " + (v == " . block . ") * level_" . block; levels = levels . " level_" . block }
  eval "f(x, y, u, v) = " . level . " + period * x + connections * y + size * u"
  parameters = "period connections size"; derived = "period_minus_size connections_minus_size"
}

joined(list) = words(list) == 1 ? word(list, 1) : word(list, 1) . "," . joined(list[strlen(word(list, 1)) + 2 : *])
print "parameters\t" . parameters . " " . derived
seen = ""; different = 0
note_point(at) = strstrt(seen, at) ? 0 : (seen = seen . at, different = different + 1)
stats data using (note_point("|" . stringcolumn("x") . " " . stringcolumn("y") . " " . stringcolumn("u") . "|")) nooutput
if (different < words(parameters . levels)) { print "why\tfewer different points than parameters"; exit }
block_of(row) = law eq "elasticity" ? column("block") : 0
eval "fit f(x, y, u, v) data using 'x':'y':'u':(block_of(0)):(log(column('value'))) unitweights via " . joined(parameters . levels)
if (!FIT_CONVERGED) { exit }

row(name, value, se) = sprintf("%s\t%.10g\t%.10g\t%d", name, value, se, FIT_NDF)
do for [name in parameters] { print row(name, value(name), value(name . "_err")) }
if (law eq "usl") {
  # d peak = (-1, -peak^2) / (2 peak kappa) by sigma and kappa
  peak = kappa > 0 && sigma < 1 ? sqrt((1 - sigma) / kappa) : NaN
  print row("peak", peak, sqrt(FIT_COV_sigma_sigma + 2 * peak ** 2 * FIT_COV_sigma_kappa + peak ** 4 * FIT_COV_kappa_kappa) / (2 * peak * kappa))
}
if (law eq "elasticity") {
  print row("period_minus_size", period - size, sqrt(FIT_COV_period_period + FIT_COV_size_size - 2 * FIT_COV_period_size))
  print row("connections_minus_size", connections - size, sqrt(FIT_COV_connections_connections + FIT_COV_size_size - 2 * FIT_COV_connections_size))
}
set table residuals separator tab
plot data using (stringcolumn("trial")):(stringcolumn("at")):"value":(exp(f(column("x"), column("y"), column("u"), block_of(0)))) with table
