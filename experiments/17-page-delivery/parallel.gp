# parallel: the scenario of that name, the source's numbers beside ours, with the ceiling that six connections of a browser set. Reads
# reduced/delivery.tsv and reduced/crossings.tsv.

figure_title = "Requests of 2 s in parallel: when a page has all its data, by workflow"
table = "delivery"
crossings = "crossings"
scenario = "parallel"
x_words = "requests"
ways = "server ajax stream"
main_workloads = "source desk look"
is_log = 1
guide(x) = 2000 * ceil(x / 6)
guide_words = "2 s for each six"
load plots . "/beside.gp"
