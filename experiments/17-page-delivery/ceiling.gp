# ceiling: few AJAX requests in parallel, with the ceiling that six connections of a browser set, and over HTTP/2. Reads
# reduced/ceiling.tsv and reduced/crossings.tsv.

figure_title = "AJAX requests of 2 s in parallel: six at a time, and over HTTP/2 all twenty-four"
table = "ceiling"
crossings = "crossings"
scenario = "parallel"
x_words = "requests"
x_step = 6
ways = "ajax http2"
main_workloads = "source desk look http trip"
panels = engines
is_linked = 0
stats reduced . "/ceiling.tsv" using (stringcolumn("workload") eq "trip" ? (is_linked = 1, 0) : 0) nooutput
scale_words = is_linked ? ".\nSeven: over a link that adds 0 ms.\n" : ".\n"
guide(x) = 2000 * ceil(x / 6)
guide_words = "2 s for each six"
is_unjoined = 1   # what lies between two steps is the guide's to say
load plots . "/beside.gp"
