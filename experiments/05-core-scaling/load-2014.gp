# load-2014: figures 3.6 to 3.9 of the thesis: three, five and seven cores under its load.

figure_title = "One, two and three balancers and workers under the source's load: the stack of 2014"
drawn_points = "socketcluster-2014|processes=1+1+1 socketcluster-2014|processes=2+2+1 socketcluster-2014|processes=3+3+1"
drawn_workloads = "listed described"
load plots . "/load.gp"
