# fits: for figures, what fit.sh found. Load it with `reduced` set; it reads reduced/fits.tsv.
#
# fit_value(law, engine, workload, setting, parameter)   the number; NaN where there is none
# fit_low(…), fit_high(…)                                the ends of its 95 % interval
# fit_said(…), fit_bracket(…)                            as words: "0.231" or "-"; "[0.21, 0.25]" or ""

fits_known = "\n"
fit_key(law, engine, workload, setting, parameter) = law . "|" . engine . "|" . workload . "|" . setting . "|" . parameter . "|"
learn_fit(row) = (fits_known = fits_known . fit_key(stringcolumn("law"), stringcolumn("engine"), stringcolumn("workload"), stringcolumn("setting"), stringcolumn("parameter")) \
  . " " . stringcolumn("value") . " " . stringcolumn("low") . " " . stringcolumn("high") . "\n", 0)
stats (reduced . "/fits.tsv") using (learn_fit(0)) nooutput

fit_rest(key) = (fit_place = strstrt(fits_known, "\n" . key), fit_place ? fits_known[fit_place + strlen(key) + 1 : fit_place + strlen(key) + 60] : "- - -")
fit_part(key, i) = word(fit_rest(key), i)
fit_number(text) = text eq "-" ? NaN : real(text)
fit_value(law, engine, workload, setting, parameter) = fit_number(fit_part(fit_key(law, engine, workload, setting, parameter), 1))
fit_low(law, engine, workload, setting, parameter) = fit_number(fit_part(fit_key(law, engine, workload, setting, parameter), 2))
fit_high(law, engine, workload, setting, parameter) = fit_number(fit_part(fit_key(law, engine, workload, setting, parameter), 3))
fit_said(law, engine, workload, setting, parameter) = (fit_found = fit_value(law, engine, workload, setting, parameter), fit_found == fit_found ? sprintf("%.3g", fit_found) : "-")
fit_bracket(law, engine, workload, setting, parameter) = (fit_found = fit_low(law, engine, workload, setting, parameter), fit_found == fit_found ? \
  sprintf("[%.3g, %.3g]", fit_found, fit_high(law, engine, workload, setting, parameter)) : "")
