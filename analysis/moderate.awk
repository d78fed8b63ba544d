# moderate: the spread of each of many groups that have few values each, for other filters, loaded before them.
#
#   awk -f moderate.awk -f other.awk
#
# Three trials say little about one engine's spread, and one spread for all is untrue of those that are noisier. So a group's own variance
# is moderated towards what all have in common, by as much as the groups are alike: G. K. Smyth, Linear models and empirical Bayes methods,
# Statistical Applications in Genetics and Molecular Biology 3 (1), 2004, sections 6.1 and 6.2 (the fitFDist of R's limma).

# Set prior_variance and prior_degrees from variance[1..n] with degrees[1..n] each; a group without degrees says nothing. Where the
# variances differ by no more than chance makes them, all are one: the prior is their mean, with FULL degrees.
function find_prior(variance, degrees, n,    i, k, least, sum, weight, mean, squares, chance, e) {
  FULL = 1e6
  for (i = 1; i <= n; i++) if (degrees[i] > 0) { k++; sum += degrees[i] * variance[i]; weight += degrees[i] }
  prior_degrees = FULL; prior_variance = weight > 0 ? sum / weight : 0; degrees_of_all = weight + 0
  if (k < 2 || prior_variance <= 0) return
  least = 1e-5 * prior_variance # has a logarithm
  for (i = 1; i <= n; i++) if (degrees[i] > 0) {
    e[i] = log(variance[i] > least ? variance[i] : least) - digamma(degrees[i] / 2) + log(degrees[i] / 2)
    mean += e[i] / k
    chance += trigamma(degrees[i] / 2) / k
  }
  for (i in e) squares += (e[i] - mean) ^ 2 / (k - 1)
  if (squares <= chance) return
  prior_degrees = 2 * trigamma_inverse(squares - chance)
  prior_variance = exp(mean + digamma(prior_degrees / 2) - log(prior_degrees / 2))
}

# A group's variance, moderated, and the degrees of freedom that it has then.
function moderated_variance(variance, degrees) { return (prior_degrees * prior_variance + degrees * variance) / (prior_degrees + degrees) }

function moderated_degrees(degrees) { return prior_degrees + degrees < degrees_of_all ? prior_degrees + degrees : degrees_of_all }

# The first two derivatives of the logarithm of the gamma function: by their recurrence to where the asymptotic series holds to 1e-12
# (Abramowitz and Stegun, 6.3.5, 6.3.18, 6.4.6, 6.4.12).
function digamma(x,    sum, y) {
  for (; x < 15; x++) sum -= 1 / x
  y = 1 / (x * x)
  return sum + log(x) - 1 / (2 * x) - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
}

function trigamma(x,    sum, y) {
  for (; x < 15; x++) sum += 1 / (x * x)
  y = 1 / (x * x)
  return sum + 1 / x + y / 2 + (y / x) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
}

# trigamma falls from infinity to 0; between 1e-4 and 1e6 the middle is taken of the logarithms.
function trigamma_inverse(value,    low, high, middle, i) {
  low = 1e-4; high = 1e6
  for (i = 0; i < 80; i++) {
    middle = sqrt(low * high)
    if (trigamma(middle) > value) low = middle; else high = middle
  }
  return middle
}
