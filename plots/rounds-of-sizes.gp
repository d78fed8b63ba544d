# rounds-of-sizes: rounds.gp with the size of the echo across. A script sets figure_title, note_words, table, wanted and is_shown.

x_of_row(unused) = real(stringcolumn("metric")[9:*])
y_column = "mean"
whiskers = 1
is_marked(unused) = 1
x_words = "size of the payload, each way"
y_words = "time of an echo, us"
is_log_x = 1; y_from = 0; y_to = 0; is_log_y = 1
x_tics = 'set xtics nomirror out scale 0.5 font face_small offset 0, 0.4 ("1 B" 1, "10 B" 10, "100 B" 1e2, "1 kB" 1e3, "10 kB" 1e4, "100 kB" 1e5, "1 MB" 1e6, "10 MB" 1e7)'
y_tics = 'set ytics nomirror out scale 0.5 font face_small offset 0.5, 0 ("10" 10, "100" 100, "1,000" 1e3, "10,000" 1e4, "100,000" 1e5, "1,000,000" 1e6)'
key_place = 'set key at graph 0.02, graph 0.99 left top vertical Left reverse font face_small samplen 2 spacing 0.95'
load plots . "/rounds.gp"
