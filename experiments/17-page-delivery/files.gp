# files: the scenario of that name, the source's numbers beside ours. Reads reduced/delivery.tsv and reduced/crossings.tsv.

figure_title = "Files: when a page has all its data, by workflow"
table = "delivery"
crossings = "crossings"
scenario = "files"
x_words = "size of the file, KiB"
ways = "server ajax stream binary"
main_workloads = "source desk look"
load plots . "/beside.gp"
