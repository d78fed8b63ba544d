# warmup-connect: how the time to connect settles. Reads reduced/warmup.tsv.

figure_title = "Is it warm? Time to connect since the start"
note_words = sprintf("Median of each quarter of a second over all trials, server and client having started shortly before.\nUntil %g s it is warm-up, with more connections a round, and without the link's delay, before 0 s; the window ends at %g s. Dashed: with TLS 1.3.\nA line that still falls in the window is compiled while it is measured; connect_drift in points.tsv is the difference between the window's halves.", window_from_s, window_to_s)
table = reduced . "/warmup.tsv"
wanted = engines
is_shown(engine, setting) = (value_in(setting, "rtt_us") eq "100" || is_over_hosts) && value_in(setting, "reading") eq "" && stringcolumn("quantity") eq "connect"
x_of_row(unused) = column("t_s")
y_column = "us"
whiskers = 0
is_marked(unused) = 1
x_words = "time since the start of the load, s"
y_words = "time to connect, us"
is_log_x = 0; is_log_y = 1; y_from = 0; y_to = 0
x_tics = 'set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 autofreq; set arrow 1 from window_from_s, graph 0 to window_from_s, graph 1 nohead lc rgb "#a0a0a0" dt 3'
y_tics = 'set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 ("30" 30, "100" 100, "300" 300, "1,000" 1e3, "3,000" 3e3, "10,000" 1e4, "30,000" 3e4, "100,000" 1e5, "1,000,000" 1e6)'
key_place = 'set key at graph 0.99, graph 0.99 right top vertical Left reverse font face_small samplen 2 spacing 0.95 opaque'
load plots . "/rounds.gp"
