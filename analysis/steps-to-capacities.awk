#!/usr/bin/awk -f
# steps-to-capacities: from the curve of each role, measured alone on a core, what rates processes and mixes of them carry.
#
#   awk -v mixes='socketcluster-2014:1+1+1 ...' -f sweep.awk -f steps-to-capacities.awk roles.tsv steps.tsv > capacities
#
# roles.tsv   of spec-to-roles.js: engine, position, role, ...
# steps.tsv   trial, block, era, engine, workload, setting, then the columns of accounts-to-steps; trials at cores=alone-<role> are read, and
#             at cores=one
# mixes       engine:processes of each role, each process on a core of its own
# Output:     era, engine, block, kind, what, load, rate_hz, reached, at_least, a line for each block that has what is needed:
#   role      what is a role: the rate at which one process of it uses `load` of its core
#   one       all roles on one core together, one process each, at a load of 1: each message takes of it what it takes each role at a full
#             core, for what lowers a cost is that the core is busy, whoever keeps it so
#   one-by-rate  the same, if a message took each role what it takes at this rate on a core of its own, which is then less busy
#   whole     all roles on one core, as measured: what a full core carries, by the rule for a role's (sweep.awk)
#   mix       what is a mix: the rate at which the first of its roles has used up its cores (the utilisation law: P. J. Denning and
#             J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978)
# reached is the largest load that was measured (of the role, or of the role that ends the mix): beyond it a message is taken to cost what it
# cost there. at_least says "yes" where the role's core was full and it fell behind at no faster step, or at those alone that filled the
# load's own core, so that it carries that much or more. Roles that were not measured alone, such as a store without work, are taken for free.
#
#   era   engine              block  kind  what      load  rate_hz  reached  at_least
#   2014  socketcluster-2014  1      role  balancer  0.8   11200    0.63     no

BEGIN { FS = OFS = "\t"; mix_count = split(mixes, mix_told, " "); loads = "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }

FILENAME == ARGV[1] {
  role_of[$column["engine"], $column["position"]] = $column["role"]
  if ($column["position"] > role_count[$column["engine"]]) role_count[$column["engine"]] = $column["position"] + 0
  next
}

{ step = $column["trial"] OFS $column["step"] }

$column["side"] == "client" && $column["busiest_cpu_cores"] > load_cores[step] { load_cores[step] = $column["busiest_cpu_cores"] + 0 }

$column["together"] == 1 && $column["role"] == "server" && $column["setting"] ~ /(^|,)cores=one(,|$)/ {
  whole = $column["era"] OFS $column["engine"] OFS $column["block"]
  if (!(whole in is_whole)) { is_whole[whole]; wholes[++whole_count] = whole }
  keep_step(whole, $column["cpu_cores"])
}

$column["together"] != 1 || !match($column["setting"], /cores=alone-[a-z]+/) { next }
$column["role"] != substr($column["setting"], RSTART + 12, RLENGTH - 12) { next }

{
  engine = $column["era"] OFS $column["engine"]
  if (!(engine in known)) { known[engine]; engines[++engine_count] = engine }
  curve = engine SUBSEP $column["block"] SUBSEP $column["role"]
  keep_step(curve, $column["cpu_cores"] / $column["processes"])
  if (!step_stands($column["backlog_s"])) next
  add_to_curve(curve, $column["rate_hz"], $column["received_hz"], $column["cpu_cores"] / $column["processes"])
  if ($column["block"] > blocks) blocks = $column["block"] + 0
}

END {
  for (k = 1; k <= kept; k++) add_full_step(kept_curve[k], due_hz[k], received_hz[k], cores[k], load_cores[kept_step[k]], backlog_s[k])
  print "era", "engine", "block", "kind", "what", "load", "rate_hz", "reached", "at_least"
  for (e = 1; e <= engine_count; e++) for (block = 1; block <= blocks; block++) report(engines[e], block)
  for (w = 1; w <= whole_count; w++) if (full_hz(wholes[w])) print wholes[w], "whole", "-", 1, sprintf("%.6g", full_hz(wholes[w])), 1, (is_least(wholes[w]) ? "yes" : "no")
}

# For the end, when the load of the step is known: its row comes after the server's.
function keep_step(curve, of_core) {
  kept_curve[++kept] = curve; kept_step[kept] = step
  due_hz[kept] = $column["due_hz"]; received_hz[kept] = $column["received_hz"]; backlog_s[kept] = $column["backlog_s"]; cores[kept] = of_core
}

function report(engine, block,    name, i, j, count, load, role, all, missing, wanted) {
  name = substr(engine, index(engine, OFS) + 1)
  count = split(loads, load, " ")
  for (i = 1; i <= role_count[name]; i++) {
    role = role_of[name, i]
    if (curve_points[engine, block, role] < 2) continue
    all = all (all == "" ? "" : ORS) engine SUBSEP block SUBSEP role
    for (j = 1; j <= count; j++) put_role(engine, block, role, load[j])
  }
  if (all == "" || (role_count[name] > 1 && lacks_role(engine, block, name))) return
  put(engine, block, "one", "-", 1, rate_by_load(all), loads_at_end(all), is_any_least(all))
  put(engine, block, "one-by-rate", "-", 1, rate_by_rate(all), loads_at_end(all), 0)
  for (i = 1; i <= mix_count; i++) if (split(mix_told[i], wanted, ":") == 2 && wanted[1] == name) put_mix(engine, block, name, wanted[2])
}

# A role that serves and was measured in another block alone: nothing can be said of the whole.
function lacks_role(engine, block, name,    i, b) {
  for (i = 1; i <= role_count[name]; i++)
    for (b = 1; b <= blocks; b++)
      if (curve_points[engine, b, role_of[name, i]] >= 2 && curve_points[engine, block, role_of[name, i]] < 2) return 1
  return 0
}

function put_role(engine, block, role, load,    curve) {
  curve = engine SUBSEP block SUBSEP role
  put(engine, block, "role", role, load, rate_for(curve, load), load_reached(curve), load == 1 && is_least(curve))
}

function put_mix(engine, block, name, mix,    counts, i, hz, least, reached, curve, more) {
  split(mix, counts, "+")
  for (i = 1; i <= role_count[name]; i++) {
    curve = engine SUBSEP block SUBSEP role_of[name, i]
    if (curve_points[curve] < 2) continue
    hz = counts[i] * rate_for(curve, 1)
    if (!least || hz < least) { least = hz; reached = load_reached(curve); more = is_least(curve) }
  }
  put(engine, block, "mix", mix, 1, least, reached, more)
}

# The rate at which the times that a message takes each role at a full core add up to all of one.
function rate_by_load(all,    part, count, i, message_s) {
  count = split(all, part, ORS)
  for (i = 1; i <= count; i++) message_s += 1 / rate_for(part[i], 1)
  return 1 / message_s
}

function loads_at_end(all,    part, count, i, least) {
  count = split(all, part, ORS)
  least = 1
  for (i = 1; i <= count; i++) if (load_reached(part[i]) < least) least = load_reached(part[i])
  return least
}

function is_any_least(all,    part, count, i, any) {
  count = split(all, part, ORS)
  for (i = 1; i <= count; i++) any += is_least(part[i])
  return any > 0
}

function put(engine, block, kind, what, load, hz, reached, more) {
  if (hz > 0) print engine, block, kind, what, load, sprintf("%.6g", hz), sprintf("%.4g", reached), (more ? "yes" : "no")
}
