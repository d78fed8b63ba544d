# glance: what do more processes take off the busiest one, under the source's load?

figure_title = "The busiest process under the source's load, and workers and balancers in the mean"
note_words = "In cores."
metrics = "busiest_cpu_cores worker_cpu_cores_mean balancer_cpu_cores_mean"
words_of(metric) = metric eq "busiest_cpu_cores" ? "CPU of the busiest process, cores" : metric eq "worker_cpu_cores_mean" ? "of a worker, mean, cores" : "of a balancer, mean, cores"
drawn_workloads = "listed described"
load plots . "/glance.gp"
