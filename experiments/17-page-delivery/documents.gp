# documents: the scenario of that name, the source's numbers beside ours. Reads reduced/delivery.tsv and reduced/crossings.tsv.

figure_title = "Documents of a database: when a page has all its data, by workflow"
table = "delivery"
crossings = "crossings"
scenario = "documents"
x_words = "documents"
ways = "server ajax stream"
main_workloads = "source desk look"
load plots . "/beside.gp"
