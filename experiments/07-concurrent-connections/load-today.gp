# load-today: the same connections on today's SocketCluster of several processes, which has no balancers.

figure_title = "25,000 connections on SocketCluster 14"
drawn_points = "socketcluster-14|connect_rate_hz=1000,connections=25000,processes=30+1,scheduling=rr"
load plots . "/load.gp"
