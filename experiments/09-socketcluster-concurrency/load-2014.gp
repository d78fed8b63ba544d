# load-2014: CPU of each process while 42,000 connections are opened and held, and around the kill of a worker.

figure_title = "SocketCluster of 2014: connections opened and held, and a worker killed"
drawn_points = "socketcluster-2014|connect_rate_hz=160,connections=42000,period_ms=24000,processes=6+3+1,scheduling=rr socketcluster-2014|fault=kill-worker,processes=4+3+1"
load plots . "/load.gp"
