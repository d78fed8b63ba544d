# load-today: figure 3.1 of the thesis on today's SocketCluster of several processes.

figure_title = "One client process, then two: SocketCluster 14"
drawn_points = "socketcluster-14|client_processes=1 socketcluster-14|client_processes=2"
load plots . "/load.gp"
