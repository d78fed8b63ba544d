# nodelay: time of an echo against its size, with and without TCP_NODELAY on both ends. Reads reduced/points.tsv.

figure_title = "Time of an echo against its size, with TCP_NODELAY and with Nagle's algorithm"
note_words = "Solid: TCP_NODELAY on both ends. Dashed: with Nagle's algorithm, by which a segment that is not full waits for the acknowledgement of what went before,\nand that may wait for 40 ms. Medians: what fewer than half of the echoes wait for does not show here, but in delayed. Both axes logarithmic."
table = reduced . "/points.tsv"
wanted = ""
do for [point in planned] { if (value_in(setting_of(point), "nodelay") eq "off") { wanted = add(wanted, engine_of(point)) } }
is_shown(engine, setting) = is_in(wanted, engine) && value_in(setting, "tls") eq "" && value_in(setting, "rate_mbit") eq "" && stringcolumn("metric")[1:8] eq "echo_us_"
load plots . "/rounds-of-sizes.gp"
