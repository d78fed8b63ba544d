figure_title = "CPU load of each process, by mix"
drawn_points = ""
do for [point in planned] { if (value_in(setting_of(point), "processes") ne "") { drawn_points = add(drawn_points, without_workload(point)) } }
load plots . "/load.gp"
