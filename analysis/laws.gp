# laws: how throughput is said to grow with n, for fit.gp and for the figures that draw what it found.
# lambda is the throughput of one; the rest of each is the speed-up S(n).

linear(slope, base, n) = slope * base * n                                     # thesis 3.4: slope 1/2; the README: 1
amdahl(lambda, p, n) = lambda / ((1 - p) + p / n)                             # thesis 1.4.2: p is the parallel share
gustafson(lambda, a, n) = lambda * (n - a * (n - 1))                          # thesis 1.4.2: a is the serial share
usl(lambda, sigma, kappa, n) = lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))  # N. J. Gunther, Guerrilla Capacity Planning: contention, coherence
