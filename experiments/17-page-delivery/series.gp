# series: the scenario of that name, the source's numbers beside ours. Reads reduced/delivery.tsv and reduced/crossings.tsv.

figure_title = "Requests in series: when a page has all its data, by workflow"
table = "delivery"
crossings = "crossings"
scenario = "series"
x_words = "requests"
ways = "ajax stream"
chord_words = "a straight line"
main_workloads = "source desk look"
load plots . "/beside.gp"
