# The one front door. A target installs what it lacks, only for what it runs, and nothing the second time.

.DEFAULT_GOAL := help
# Two experiments at a time would measure each other. Nothing is measured before the tests.
ifneq ($(MAKECMDGOALS),before-tests)
.NOTPARALLEL:
endif
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# PATH holds no colon: another Node would be found
ifneq ($(findstring :,$(CURDIR)),)
$(error $(CURDIR): a path with ":" can't be in PATH; move the suite to one without)
endif

# What is given on the command line is text for a recipe to quote. Exported, make would first expand what it holds: $(shell ...)
unexport $(foreach name,$(.VARIABLES),$(if $(findstring command,$(origin $(name))),$(name)))

# What of the environment would steer the programs of recipes
include harness/steering.mk
unexport $(filter-out $(kept),$(filter $(steering),$(.VARIABLES)))

# A word as an argument: whatever it holds, the shell takes it as one word. Of a line break make itself would make two commands
define line_break


endef
quote = $(if $(findstring $(line_break),$(1)),$(error a variable or a goal holds a line break; give it on one line),'$(subst ','\'',$(1))')
quoted = $(foreach word,$(1),$(call quote,$(word)))

node := runtimes/node-24/bin/node
npm := runtimes/node-24/bin/npm
# npm trusts the authorities that Node brings; behind a company's proxy it takes those of the system as well
system_authorities := $(wildcard /etc/ssl/certs/ca-certificates.crt)
ifneq ($(system_authorities),)
export NODE_EXTRA_CA_CERTS ?= $(system_authorities)
endif
# npm would leave a folder node-compile-cache on every host
export NODE_DISABLE_COMPILE_CACHE := 1
# exec: the harness takes the place of the recipe's shell, so that Ctrl-C reaches it and make waits for it
harness := exec $(node) harness/main.js

# make ignores a variable that no goal takes: a misspelt PROFILE would start fourteen minutes of the wrong run
ifeq ($(MAKELEVEL),0)
given := $(foreach name,$(filter-out SHELL,$(.VARIABLES)),$(if $(findstring command,$(origin $(name))),$(name)))
# and of a goal that is a folder's name it would say that nothing is to be done
folders := $(foreach goal,$(MAKECMDGOALS),$(if $(wildcard $(goal)/.),$(goal)))
refused := $(if $(strip $(given) $(MAKECMDGOALS)),$(shell goals=$(call quote,$(or $(MAKECMDGOALS),help)) given=$(call quote,$(given)) \
  folders=$(call quote,$(folders)) awk -f harness/make-variables.awk Makefile))
$(if $(refused),$(error $(refused)))
endif

# Debian packages, each with the command that stands for it (runtimes/apt-install.sh)
packages_run := procps:top sysstat:sar sysstat:pidstat util-linux:setpriv util-linux:taskset
packages_figures := mawk:awk gnuplot-nox:gnuplot fonts-dejavu-core
packages_records := xz-utils:xz
packages_lint := shellcheck:shellcheck
packages_awks := mawk:mawk gawk:gawk
packages_oracle := python3-scipy
packages_rust-lint := rust-web-clippy:cargo-clippy rustfmt-web:rustfmt
# By themselves: the Node that runs everything else, compilers, what engines are built with
packages_node = $(if $(wildcard $(npm)),,npm:npm)
packages_rust = $(shell runtimes/needs.sh runtimes/rust)
packages_go = $(shell runtimes/needs.sh runtimes/go)
packages_hosts := openssh-client:ssh openssh-client:ssh-keygen
packages_ansible = $(packages_hosts) $(shell runtimes/needs.sh runtimes/python)
packages_tested = $(shell runtimes/needs.sh $(call quoted,$(filter-out $(patsubst %/engine.toml,%,$(untested)),$(patsubst %/engine.toml,%,$(wildcard servers/*/engine.toml)))))
packages_engine = $(shell runtimes/needs.sh $(call quote,servers/$(value ENGINE)))
packages_parts = $(foreach word,$(shell runtimes/needs.sh $(or $(call quoted,$(value PARTS)),--all)),$(or $(packages_$(word)),$(word)))
# Companions and generators name theirs
packages_companion = $(sort $(shell runtimes/toml.sh packages clients/*/companion.toml clients/*/generator.toml))
packages_network := iproute2:ip ethtool:ethtool util-linux:nsenter openssl:openssl
packages_capture := $(packages_network) tcpdump:tcpdump tshark:tshark

# In the folders of the native generator, of the servers in Rust, of their clients and of the link between them; cargo knows by itself what is to build.
# It would ask this make, by these variables, how many jobs it may start, and get no answer.
cargo = unset MAKEFLAGS MFLAGS && cd clients/swarm && exec ../../runtimes/rust/bin/cargo
cargo_servers = unset MAKEFLAGS MFLAGS && cd servers && exec ../runtimes/rust/bin/cargo
cargo_serial = unset MAKEFLAGS MFLAGS && cd clients/serial && exec ../../runtimes/rust/bin/cargo
cargo_link = unset MAKEFLAGS MFLAGS && cd infra/link && exec ../../runtimes/rust/bin/cargo
go_folders := $(dir $(wildcard servers/*/go.mod clients/*/go.mod))
# Engines that the tests leave to check-servers: their format is looked at, their modules are not fetched
untested = $(shell grep -l '^ci = false' servers/*/engine.toml)
clippy_of = clippy --quiet --locked $(1) --all-targets -- -D warnings
clippy := $(call clippy_of,--workspace)

# With HOSTS another machine runs it
needs_hosts := $(if $(strip $(value HOSTS)),needs-hosts)

option = $(if $(value $(2)),$(call quote,--$(1)=$(value $(2))))
flag = $(if $(filter-out 0 no false,$(value $(2))),--$(1))

## help: this list
.PHONY: help
help:
	@echo 'wscale: how WebSocket engines scale. make TARGET [VARIABLE=value]...'
	@awk '/^##\. / { printf "\n%s\n", substr($$0, 5) } \
	  /^## / { at = index($$0, ": "); name = substr($$0, 4, at - 4); \
	    printf "  %-30s %s%s\n", name, (length(name) > 30 ? sprintf("\n%33s", "") : ""), substr($$0, at + 2) }' Makefile

##. Experiments

## experiment-N: run experiment N and judge its claims (PROFILE, GENERATOR, ENGINES, BLOCKS, BYTES, RESUME, SEED, PLAN, HOSTS, WATCH, METRICS, PATIENCE)
# A plan starts nothing, and needs nothing that is started
ifeq ($(filter-out 0 no false,$(value PLAN)),)
needs_start := needs-run needs-figures $(or $(needs_hosts),needs-experiment)
endif
# What an experiment's manifest names beyond
asked_of = runtimes/needs.sh --experiment $(call quote,$(patsubst experiment-%,%,$(1))) $(call option,profile,PROFILE) \
  $(call option,generator,GENERATOR) $(call option,engines,ENGINES)
packages_experiment = $(foreach word,$(foreach goal,$(filter experiment-%,$(MAKECMDGOALS)),$(shell $(call asked_of,$(goal)))),$(or $(packages_$(word)),$(word)))
experiment-%: $(needs_start) needs-harness
	@$(harness) run $(call quote,$*) \
	  $(call option,profile,PROFILE) $(call option,generator,GENERATOR) $(call option,engines,ENGINES) $(call option,blocks,BLOCKS) \
	  $(call option,bytes,BYTES) $(call option,seed,SEED) $(call flag,resume,RESUME) $(call flag,plan,PLAN) \
	  $(call option,hosts,HOSTS) $(call option,watch,WATCH) $(call option,metrics,METRICS) $(call option,patience,PATIENCE)

## watch: show the run that goes on in another terminal, live, until it ends; it says where a browser can
.PHONY: watch
watch: needs-harness
	@$(harness) watch

needs_reproduce := $(or $(needs_hosts),needs-capture needs-parts)
## reproduce: run every experiment into one bundle, then show the verdicts of all claims (PROFILE, RESUME, SEED, HOSTS, WATCH, PATIENCE)
.PHONY: reproduce
reproduce: needs-run needs-figures $(needs_reproduce) needs-records needs-harness
	@$(harness) reproduce $(call option,profile,PROFILE) $(call option,seed,SEED) $(call flag,resume,RESUME) $(call option,hosts,HOSTS) \
	  $(call option,watch,WATCH) $(call option,patience,PATIENCE)

## compare: two runs side by side, experiment by experiment (A, B, SAME)
.PHONY: compare
compare: set-A set-B needs-run needs-figures needs-records needs-harness
	@$(harness) compare $(call quote,$(value A)) $(call quote,$(value B)) $(call flag,same,SAME)

## duet: two folders of engines measured in one run, trial by trial: is the one slower? (A, B, ENGINES, BLOCKS, SEED)
.PHONY: duet
duet: set-A set-B needs-run needs-figures needs-harness needs-rust
	@$(harness) duet $(call quote,$(value A)) $(call quote,$(value B)) \
	  $(call option,engines,ENGINES) $(call option,blocks,BLOCKS) $(call option,seed,SEED)

## check-power: how often compare and duet find a slowdown that was planted, some 12 minutes; writes docs/power.md (TRIALS, SEED)
.PHONY: check-power
check-power: needs-run needs-figures needs-records needs-harness needs-rust
	@$(harness) check-power $(call option,trials,TRIALS) $(call option,seed,SEED)

## check-trust: plant faults, and see whether the suite says so: half an hour, or a few minutes with TRUST=quick; writes docs/trust.md and docs/power.md (TRUST, PART, SEED)
.PHONY: check-trust
check-trust: needs-run needs-figures needs-oracle needs-records needs-harness needs-rust
	@$(harness) check-trust $(call option,profile,TRUST) $(call option,part,PART) $(call option,seed,SEED)

## list: list the experiments
.PHONY: list
list: needs-harness
	@$(harness) list

## settings: what a point of an experiment may set, and to what
.PHONY: settings
settings: needs-harness
	@$(harness) settings

## processes: how many processes of each role a load needs, by what one carries on a core of its own (RATE, LOAD, FROM)
.PHONY: processes
processes: needs-records needs-harness
	@$(harness) processes $(call option,rate,RATE) $(call option,load,LOAD) $(call option,from,FROM)

## figures: draw the figures of a bundle again, without a server (FROM)
.PHONY: figures
figures: set-FROM needs-figures needs-records needs-harness
	@$(harness) figures $(call quote,$(value FROM))

## report: one HTML file of a bundle, of a result of record, or of all of these (FROM=record); with another beside it (FROM, WITH)
.PHONY: report
report: set-FROM needs-figures needs-records needs-harness
	@$(harness) report $(call quote,$(value FROM)) $(call option,with,WITH)

## archive: a bundle or result of record as one zip that others can cite and check, an RO-Crate (FROM)
.PHONY: archive
archive: set-FROM needs-figures needs-records needs-harness
	@$(harness) archive $(call quote,$(value FROM))

## verify: reduce an archive anew, and say whether each number is the same (ARCHIVE)
.PHONY: verify
verify: set-ARCHIVE needs-figures needs-records needs-harness
	@$(harness) verify $(call quote,$(value ARCHIVE))

## export: the numbers of a bundle or a result of record, for other tools (FROM, FORMAT)
.PHONY: export
export: set-FROM needs-records needs-harness
	@$(harness) export $(call quote,$(value FROM)) $(call option,format,FORMAT)

## record: make a bundle the result of record, and write thesis-results.md anew (FROM)
.PHONY: record
record: set-FROM needs-figures needs-records needs-harness
	@$(harness) record $(call quote,$(value FROM))

## rank: engines sorted by what a message costs at your rate, from a bundle or a result of record whose sweeps say it (FROM, RATE)
.PHONY: rank
rank: set-FROM set-RATE needs-records needs-harness
	@$(harness) rank $(call quote,$(value FROM)) $(call quote,$(value RATE))

## rejudge: judge a bundle, or a result of record, anew by the claims and intervals of today; it runs nothing (FROM)
.PHONY: rejudge
rejudge: set-FROM needs-figures needs-records needs-harness
	@$(harness) rejudge $(call quote,$(value FROM))

## thesis-results: write thesis-results.md and each experiment's RESULTS.md anew from the results of record
.PHONY: thesis-results
thesis-results: needs-records needs-harness
	@$(harness) thesis-results

##. Engines

## engines: list the engines
.PHONY: engines
engines: needs-records needs-harness
	@$(harness) engines

## docs-metrics: write docs/metrics.md anew: the unit, definition and source of each number of a trial
.PHONY: docs-metrics
docs-metrics: needs-harness
	@$(harness) docs-metrics

## check-server: hold one engine against servers/CONTRACT.md (ENGINE)
.PHONY: check-server
check-server: set-ENGINE needs-run needs-engine needs-harness
	@$(harness) check-server $(call quote,$(value ENGINE))

## check-servers: hold every engine against servers/CONTRACT.md; the tests check one of each language
.PHONY: check-servers
check-servers: needs-run needs-parts needs-harness
	@$(harness) check-servers

##. Hosts on EC2

# docs/ec2.md. What they need is installed by them alone
ec2 = exec $(node) infra/ec2/ec2.js
ec2_options = $(call option,region,REGION) $(call option,server,SERVER) $(call option,client,CLIENT) $(call option,clients,CLIENTS) \
  $(call option,hours,HOURS) $(call option,preset,PRESET) $(call option,price,PRICE) $(call option,image,IMAGE) $(call option,login,LOGIN) $(call option,suite,SUITE) \
  $(call option,caller,CALLER) $(call option,cluster,CLUSTER) $(call option,zone,ZONE) $(call flag,spot,SPOT) $(call flag,plan,PLAN) $(call flag,yes,YES) $(call flag,keep,KEEP)

## ec2-up: hosts on EC2 that end themselves after HOURS: cost first, then a yes (SERVER, CLIENTS, CLIENT, HOURS, PRESET, REGION, ZONE, SPOT, YES, PLAN, KEEP, PRICE, CLUSTER, IMAGE, LOGIN, SUITE, CALLER)
.PHONY: ec2-up
ec2-up: needs-ec2 needs-ansible
	@$(ec2) up $(ec2_options)

## ec2-list: everything of the suite in your account and a region of EC2 (REGION)
.PHONY: ec2-list
ec2-list: needs-ec2
	@$(ec2) list $(call option,region,REGION)

## ec2-down: remove hosts on EC2, and say what is left (CLUSTER, ALL, REGION)
.PHONY: ec2-down
ec2-down: needs-ec2
	@$(ec2) down $(call option,region,REGION) $(call option,cluster,CLUSTER) $(call flag,all,ALL)

## ec2-run: hosts up, an experiment on them, hosts down (EXPERIMENT, PROFILE, GENERATOR, ENGINES, BLOCKS, BYTES, SEED, PATIENCE, SERVER, CLIENTS, CLIENT, HOURS, PRESET, REGION, ZONE, SPOT, YES, PLAN, KEEP, PRICE, CLUSTER, IMAGE, LOGIN, SUITE, CALLER)
.PHONY: ec2-run
ec2-run: set-EXPERIMENT needs-ec2 needs-ansible needs-run needs-figures
	@$(ec2) run $(call quote,$(value EXPERIMENT)) $(call option,profile,PROFILE) $(call option,generator,GENERATOR) $(call option,seed,SEED) \
	  $(call option,engines,ENGINES) $(call option,blocks,BLOCKS) $(call option,bytes,BYTES) $(call option,patience,PATIENCE) $(ec2_options)

##. The native generator

## swarm: build clients/swarm/target/release/swarm; then try swarm --help
.PHONY: swarm
swarm: needs-rust
	@$(cargo) build --release --locked -p swarm

## bench-swarm: how near swarm comes to what this machine can do, some ten minutes (PEERS, REPEATS, SEED, QUICK)
.PHONY: bench-swarm
bench-swarm: needs-run needs-harness needs-rust
	@$(cargo) build --release --locked --workspace
	@exec $(node) clients/swarm/bench/bench-swarm.js $(call flag,peers,PEERS) $(call option,repeats,REPEATS) \
	  $(call option,seed,SEED) $(call flag,quick,QUICK)

## check-truth: hold what swarm reports against servers of known misbehaviour
.PHONY: check-truth
check-truth: needs-run needs-harness needs-rust
	@$(cargo) build --release --locked --workspace
	@exec $(node) clients/swarm/truth/check-truth.js

##. The machine and the suite

## doctor: say what on this machine, or on those of hosts.toml, would spoil a run, and how to change it; it changes nothing (HOSTS)
.PHONY: doctor
ifeq ($(strip $(value HOSTS)),)
doctor: needs-node
	@exec $(node) harness/check/doctor.js
else
doctor: $(needs_hosts) needs-harness
	@$(harness) doctor $(call option,hosts,HOSTS)
endif

## check-intervals: what the intervals are worth on the spreads of the records, by simulation (docs/intervals.md)
.PHONY: check-intervals
check-intervals: needs-records needs-harness
	@$(harness) check-intervals

## bench-watch: what CPU time watching a run costs, some seven minutes: docs/watch.md (QUICK)
.PHONY: bench-watch
bench-watch: needs-harness
	@$(harness) bench-watch $(call flag,quick,QUICK)

## test: lint, then run every test but those of test-more; with TESTS=… those tests, and nothing before them (TESTS)
.PHONY: test
ifeq ($(strip $(value TESTS)),)
needs_tests := needs-records needs-run needs-figures needs-awks needs-capture needs-hosts needs-companion needs-oracle needs-tested needs-rust-lint needs-lint needs-rust needs-go
test: $(needs_tests)
	@$(MAKE) --jobs=3 before-tests
	@$(run_tests) 'test/!(more)/**/*.test.js'
else
test: needs-harness
	$(eval chosen := $$(shell $(node) test/choose.js $$(call quote,$$(value TESTS))))
	@test -n $(call quote,$(chosen)) || exit 64
	@$(if $(filter $(tests_of_pages),$(chosen)),$(MAKE) node_modules/.linters-complete)
	@runtimes/apt-install.sh $(packages_run) $(packages_records) $(packages_figures) $(packages_awks) \
	  $(if $(filter $(tests_of_engines),$(chosen)),$(call quoted,$(packages_companion)) $(packages_network) $(packages_capture)) \
	  $(if $(filter $(tests_of_captures),$(chosen)),$(packages_capture)) \
	  $(if $(filter $(tests_of_network),$(chosen)),$(packages_network)) \
	  $(if $(filter $(tests_of_hosts),$(chosen)),$(packages_hosts)) \
	  $(if $(filter $(tests_by_oracle),$(chosen)),$(packages_oracle))
	@$(if $(filter $(tests_of_engines) $(tests_of_network),$(chosen)),runtimes/rust/install.sh)
	@$(if $(filter $(tests_of_ec2),$(chosen)),$(MAKE) needs-ec2 needs-ansible test/more/ec2/venv/.complete && $(MAKE) install PARTS='servers/ws clients/forked/ws')
	@$(run_tests) $(call quoted,$(chosen))
endif

## test-more: what takes long: every experiment at its smallest, some ten minutes
.PHONY: test-more
test-more: needs-harness
	@$(MAKE) test TESTS='test/more/*.test.js'

# What needs more than an awk and gnuplot; the others run on what every run needs
tests_of_engines := test/more/% test/conformance/% test/smoke/%
tests_of_captures := test/golden/captures.test.js test/unit/wire.test.js
tests_of_network := test/unit/network.test.js
tests_of_hosts := test/unit/ec2.test.js
tests_by_oracle := test/unit/oracle.test.js test/unit/trust.test.js
# A browser's driver, which is installed with the linters
tests_of_pages := test/more/report.test.js
tests_of_ec2 := test/more/ec2.test.js

# Side by side: one waits for the registry while another compiles. The tests themselves then find everything installed.
.PHONY: before-tests
before-tests: lint test-swarm install-tested

## install: install every engine and every client, which otherwise happens when one is first needed (PARTS)
.PHONY: install
install: needs-run needs-parts needs-harness
	@unset MAKEFLAGS MFLAGS && $(harness) install $(if $(strip $(value PARTS)),$(call quote,$(value PARTS)))

# Of the engines those that the tests check (`ci` in engine.toml)
.PHONY: install-tested
install-tested: needs-run needs-harness
	@unset MAKEFLAGS MFLAGS && $(harness) install --tested

## test-swarm: the native generator's own tests, and the link's
.PHONY: test-swarm
test-swarm: needs-rust
	@echo 'cargo test' && $(cargo) test --quiet --locked --workspace
	@$(cargo_link) test --quiet --locked

## lint: eslint, the types (tsc), shellcheck, cargo fmt and clippy, gofmt and go vet (Java's own warnings fail its build)
.PHONY: lint
lint: needs-lint needs-rust-lint needs-rust needs-go
	@echo 'cargo fmt' && $(cargo) fmt --all --check
	@$(cargo_servers) fmt --all --check
	@$(cargo_serial) fmt --all --check
	@$(cargo_link) fmt --all --check
	@echo 'cargo clippy' && $(cargo) $(clippy)
	@$(cargo_servers) $(call clippy_of,)
	@$(cargo_serial) $(clippy)
	@$(cargo_link) $(clippy)
	@echo 'gofmt' && files=$$(runtimes/go/bin/gofmt -l $(go_folders)) && test -z "$$files" || { \
	  echo "error: gofmt: not in Go's format: $$files; run: runtimes/go/bin/gofmt -w $$files" >&2; exit 1; }
	@echo 'go vet' && for folder in $(filter-out $(dir $(untested)),$(go_folders)); do (cd $$folder && exec env GOTOOLCHAIN=local $(call quote,$(CURDIR))/runtimes/go/bin/go vet .) || exit; done
	@echo 'eslint' && $(node) node_modules/eslint/bin/eslint.js --max-warnings 0 .
	@echo 'tsc' && $(node) node_modules/typescript/bin/tsc
	@echo 'shellcheck' && $(find_sources) \( -name '*.sh' -o -path ./.ci/run \) -exec shellcheck {} +

## check-newcomer: build a bare Debian in a folder, and run README's two commands in it, as root, some half an hour (SUITE, KEEP)
.PHONY: check-newcomer
check-newcomer:
	@exec infra/newcomer/check.sh $(call quote,$(value SUITE)) $(call flag,keep,KEEP)

## golden: write the golden files anew; review them as a diff
.PHONY: golden
golden: needs-figures needs-awks needs-records needs-harness
	@UPDATE_GOLDEN=1; export UPDATE_GOLDEN; $(run_tests) test/golden/sample.test.js

## clean: remove what was installed into this folder, never results
.PHONY: clean
clean:
	@pid='' began=''; { read -r pid began < "$${WSCALE_RESULTS:-results}/.running"; } 2> /dev/null; \
	if test -n "$$began" && test "$$(sed 's/.*) //' "/proc/$$pid/stat" 2> /dev/null | cut -d ' ' -f 20)" = "$$began"; then \
	  echo "error: make clean: process $$pid is measuring with what would be removed; wait until it ends, or stop it" >&2; exit 1; fi
	@rm -rf runtimes/*/bin
	@$(find_all) -path ./results -prune -o \( -name node_modules -o -name .installed \) -prune -exec rm -rf {} +
	@rm -rf infra/ec2/venv test/more/ec2/venv
	@rm -rf clients/swarm/target clients/serial/target infra/link/target clients/serial/*/target clients/goroutines/target servers/target servers/*/target servers/*/venv

##. Variables

## PROFILE=quick|default|paper: seconds a trial, minutes an experiment, or the source's own durations
## GENERATOR=forked|swarm: load from the engines' own clients alone, or each point from swarm as well
## RESUME=1: go on from the trials that are done
## PATIENCE=N: minutes more, an experiment, for trials that the machine disturbed (steal, foreign CPU): run again until they stand
## SEED=N: the seed of the plan's order and of the load
## PLAN=1: print the plan and the time it takes, and stop
## PEERS=1: bench-swarm also measures k6, which it installs
## REPEATS=N: of bench-swarm, 7 by default
## QUICK=1: bench-swarm or bench-watch once and shortly, to see that it works
## RATE=N: messages a second, of all connections
## LOAD=0.7: the share of its core that a process is to use
## FROM=results/…: the bundle to read; of report, archive and export also records/NN-name/default, or record for all of these
## WITH=results/…: another bundle, beside the first
## ARCHIVE=results/archives/….zip: what make archive wrote
## FORMAT=csv|json|bencher: of export; csv has every trial, json means and verdicts, bencher is Bencher's metric format
## A=results/… B=results/…: the two bundles to compare; of duet, two folders of engines such as servers ../other/servers
## ENGINES='ws engine.io': these engines alone; of duet name=other where the one is called otherwise in B
## BLOCKS=N: so many blocks of trials; of duet 20 by default, of an experiment what its profile says
## BYTES=N: the size of the messages
## TRIALS=N: of check-power, 132 by default; fewer to see that it works
## TRUST=quick: of check-trust, to see that it works
## PART=ranked: of check-trust, to measure one part alone: an engine and its slower copy, ranked, in seven minutes
## SAME=1: compare fails where more differs than chance allows: the two are claimed to be the same thing
## ENGINE=name: a folder of servers/
## HOSTS=hosts.toml: hosts to run on, in the place of this machine (docs/hosts.md)
## WATCH=9464 METRICS=9465: ports of 127.0.0.1 at which the run can be watched, and its agent asked (docs/watch.md)
## PARTS='servers/ws clients/swarm': of install
## EXPERIMENT=N: of ec2-run
## SERVER=c7i.4xlarge CLIENT=c7i.2xlarge CLIENTS=N HOURS=N: hosts on EC2, and how long they live at most
## PRESET=thesis: the machines of a source, or today's nearest (docs/ec2.md)
## REGION=us-east-1: of EC2, where your profile has no other
## ZONE=us-east-1b: the zone of the region to take hosts in, else the first that has their types
## SUITE=bookworm|trixie: of check-newcomer; KEEP=1 leaves its folder
## SPOT=1 YES=1 KEEP=1: spare instances; not to be asked; not to take hosts down
## PRICE=TYPE=USD: $ an hour, where infra/ec2/prices.tsv has none
## CLUSTER=name ALL=1: which hosts on EC2
## IMAGE=ami-… LOGIN=admin SUITE=/srv/wscale: another image, its user, and where it has the suite
## CALLER=198.51.100.7: from where the hosts may be reached, else your public address
## TESTS='test/unit/*.test.js': these tests alone, by paths and globs

# Three files of tests at a time: they wait more than they compute, and none judges how fast something was.
# "# tests N" and "# pass N" close the report wherever it is not read on a terminal.
run_tests = test -t 1 && reporter=spec || reporter=tap; exec $(node) --test --test-concurrency=3 --test-reporter=$$reporter

find_all := find . -path ./.git -prune -o
find_sources := $(find_all) -name node_modules -prune -o -name target -prune -o -name venv -prune -o -path ./results -prune -o

# What there is to install, stage by stage

# Of Debian all that the goals need is told and installed at once, before anything else: each needs-NAME of their rules is $(packages_NAME)
$(eval needs := $(shell goals=$(call quote,$(MAKECMDGOALS)) awk -f harness/make-needs.awk Makefile))
needed = $(sort $(foreach need,$(needs:needs-%=%),$(packages_$(need))))
of_debian := $(addprefix needs-,run figures records experiment hosts network capture companion parts engine tested awks oracle rust-lint)

.PHONY: needs-packages $(of_debian) needs-node needs-harness needs-rust needs-go needs-lint needs-ec2 needs-ansible
needs-packages:
	$(eval wanted := $$(needed))
	@$(if $(wanted),runtimes/check-first.sh $(call quoted,$(wanted)))

$(of_debian): needs-packages

# npm bootstraps the pinned Node, which brings its own
needs-node: needs-packages
	@runtimes/node-24/install.sh

needs-rust: needs-packages
	@runtimes/rust/install.sh

needs-go: needs-packages
	@runtimes/go/install.sh

needs-harness: needs-node node_modules/.harness-complete

needs-lint: needs-node node_modules/.linters-complete

# npm ci begins by emptying node_modules, stamps and all: an interrupted installation has none, and is done again
install = @echo 'installing $(1), once' >&2; $(npm) ci --ignore-scripts --loglevel=error $(2) > /dev/null || { \
  echo "error: make: 'npm ci' did not succeed; read its report above, then give the same command again" >&2; exit 69; }

node_modules/.harness-complete: package.json package-lock.json
	$(call install,the packages of the harness,--omit=dev)
	@touch $@

node_modules/.linters-complete: package.json package-lock.json
	$(call install,the packages of the harness and its linters)
	@touch $@ node_modules/.harness-complete

# Nobody else needs it: 53 MB
needs-ec2: needs-harness infra/ec2/node_modules/.complete

infra/ec2/node_modules/.complete: infra/ec2/package.json infra/ec2/package-lock.json
	$(call install,what speaks to Amazon,--omit=dev --prefix infra/ec2)
	@touch $@

needs-ansible: needs-packages infra/ec2/venv/.complete

infra/ec2/venv/.complete: infra/ec2/requirements.txt
	@runtimes/python/install.sh
	@echo 'installing Ansible, once' >&2; infra/ec2/install-venv.sh infra/ec2 --require-hashes --only-binary :all:
	@touch $@

# What stands in for Amazon, and the linters of what is sent there: 360 MB
test/more/ec2/venv/.complete: test/more/ec2/requirements.txt
	@runtimes/python/install.sh
	@echo 'installing what stands in for Amazon, once' >&2; infra/ec2/install-venv.sh test/more/ec2
	@touch $@

goal := $(firstword $(MAKECMDGOALS))
example_FROM := FROM=results/03-engineio-vs-socketcluster/2026-11-21T10-00-00Z
example_ENGINE := ENGINE=ws
example_EXPERIMENT := EXPERIMENT=5 PROFILE=paper
example_A := A=results/reproduce/20261121T100000Z-default B=results/reproduce/20261122T100000Z-default
ifeq ($(goal),duet)
example_A := A=servers B=../other/servers
endif
example_B := $(example_A)
ifeq ($(goal),rank)
example_FROM := FROM=records/16-engines/default RATE=5000
endif
example_RATE := $(example_FROM)
example_ARCHIVE := ARCHIVE=results/archives/03-engineio-vs-socketcluster-record.zip
.PHONY: set-FROM set-ENGINE set-EXPERIMENT set-RATE set-A set-B set-ARCHIVE
set-FROM set-ENGINE set-EXPERIMENT set-RATE set-A set-B set-ARCHIVE: set-%:
	@test -n $(call quote,$(value $*)) || { \
	  printf 'error: make %s: %s is not set; say which, for example: make %s %s\n' $(call quote,$(goal)) $* $(call quote,$(goal)) $(call quote,$(example_$*)) >&2; exit 64; }

.DEFAULT:
	@printf "error: make: there is no target '%s'; see what there is with: make help\n" $(call quote,$@) >&2; exit 64
