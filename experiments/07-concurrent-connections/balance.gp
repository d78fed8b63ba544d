# balance: how evenly are balancers and workers loaded? Figure 3.14 of the thesis, process by process, so with what T15
# compares: the mean of the balancers (balancer_cpu_cores_mean).

figure_title = "CPU of each balancer and of each worker"
note_words = "The kernel decides which balancer accepts (none, as in 2014), or they accept in turn (rr)."
roles_shown = "balancer worker"
load plots . "/balance.gp"
