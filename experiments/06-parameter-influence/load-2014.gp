# load-2014: figures 3.10 to 3.13 of the thesis: the reference, a shorter period, a third client, a larger file.

figure_title = "Each parameter changed by itself: the stack of 2014"
drawn_points = "socketcluster-2014|client_processes=2,payload_b=1000,period_ms=4000 socketcluster-2014|client_processes=2,payload_b=1000,period_ms=3000 \
socketcluster-2014|client_processes=3,payload_b=1000,period_ms=4000 socketcluster-2014|client_processes=2,payload_b=500000,period_ms=4000"
drawn_workloads = "described"
load plots . "/load.gp"
