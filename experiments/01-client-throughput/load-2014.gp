# load-2014: figure 3.1 of the thesis: one client process, then two.

figure_title = "One client process, then two: SocketCluster of 2014"
drawn_points = "socketcluster-2014|client_processes=1 socketcluster-2014|client_processes=2"
load plots . "/load.gp"
