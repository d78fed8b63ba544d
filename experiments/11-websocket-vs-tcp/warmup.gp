# warmup: how the time of the smallest echo settles. Reads reduced/warmup.tsv.

figure_title = "Is it warm? Time of the smallest echo since the start"
note_words = sprintf("Median of each quarter of a second over all trials, server and client having started shortly before.\nUntil %g s it is warm-up, before 0 s without the link's rate and delay;\nthe window ends at %g s. A line that still falls in the window is compiled while it is measured; warm_drift in points.tsv is the difference between the window's halves.", window_from_s, window_to_s)
table = reduced . "/warmup.tsv"
wanted = engines
is_shown(engine, setting) = (value_in(setting, "rtt_us") eq "100" || is_over_hosts) && value_in(setting, "reading") eq "" && value_in(setting, "tls") eq "" && stringcolumn("quantity") eq "echo"
x_of_row(unused) = column("t_s")
y_column = "us"
whiskers = 0
is_marked(unused) = 1
x_words = "time since the start of the load, s"
y_words = "time of the smallest echo, us"
is_log_x = 0; is_log_y = 1; y_from = 0; y_to = 0
x_tics = 'set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 autofreq; set arrow 1 from window_from_s, graph 0 to window_from_s, graph 1 nohead lc rgb "#a0a0a0" dt 3'
y_tics = 'set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 ("10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1,000" 1e3, "2,000" 2e3, "5,000" 5e3, "10,000" 1e4)'
key_place = 'set key at graph 0.99, graph 0.99 right top vertical Left reverse font face_small samplen 2 spacing 0.95 opaque'
load plots . "/rounds.gp"
