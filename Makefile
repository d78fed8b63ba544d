# Each target is a command of ./wscale, which has more of them, with --help. A variable is an option of the command:
# `make experiment-3 PROFILE=quick` is `./wscale run 3 --profile quick`.

.DEFAULT_GOAL := help
# Two experiments at a time would measure each other
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# What is given on the command line goes to ./wscale as WSCALE_VALUE_NAME, as it was given. make itself would first expand what it
# holds: $(shell ...)
define line_break


endef
given := $(foreach name,$(filter-out SHELL,$(.VARIABLES)),$(if $(findstring command,$(origin $(name))),$(name)))
odd := $(strip $(foreach name,$(given),$(if $(findstring $(line_break),$(value $(name))),$(name))) \
  $(if $(findstring $(line_break),$(MAKECMDGOALS)),goal))
$(if $(odd),$(error $(firstword $(odd)): a variable or a goal holds a line break; give it on one line))
unexport $(given)
$(foreach name,$(given),$(eval export WSCALE_VALUE_$(name) = $$(value $(name))))
export WSCALE_GIVEN := $(given)
export WSCALE_MAKE := 1
wscale := exec ./wscale

# As one word of a shell, whatever it holds
quote = '$(subst ','\'',$(1))'

.PHONY: help
help:
	@echo 'wscale: how WebSocket engines scale. Every command, with its options and examples: ./wscale --help'
	@echo
	@echo '  make experiment-3 PROFILE=quick       run an experiment and judge its claims, in a minute'
	@echo '  make reproduce PROFILE=default        run every experiment, and show the verdicts of all claims'
	@echo '  make rank RATE=5000                   engines sorted by what a message costs at your rate'
	@echo '  make processes RATE=20000             how many processes a load needs'
	@echo '  make report FROM=results/...          one HTML file of a run'
	@echo '  make doctor                           what on this machine would spoil a measurement'
	@echo '  make test                             lint, and every test but the long ones of test-more'
	@echo
	@echo 'make TARGET NAME=value is ./wscale TARGET --name value; make experiment-N is ./wscale run N.'

experiment-%: of_experiment = $(call quote,$*)
experiment-%: FORCE
	@$(wscale) run $(of_experiment)

targets := reproduce watch list settings rank processes numbers dollars compare duet report figures export archive verify record rejudge thesis-results \
  docs engines install doctor check-trust check-power check-intervals check-truth bench-swarm bench-watch check-newcomer \
  test test-more lint golden clean swarm
.PHONY: $(targets) check-server check-servers ec2-up ec2-run ec2-list ec2-down FORCE
$(targets):
	@$(wscale) $@
check-server:
	@$(wscale) server check
check-servers:
	@$(wscale) server check --all
ec2-up ec2-run ec2-list ec2-down: ec2-%:
	@$(wscale) ec2 $*

# It is not made: `make -B list` would ask ./wscale for it
Makefile: ;

# What is none of these is told by ./wscale, with the nearest name; of a folder make would say that nothing is to be done
.DEFAULT:
	@$(wscale) $(call quote,$@)
folders := $(foreach goal,$(filter-out $(targets),$(MAKECMDGOALS)),$(if $(wildcard $(goal)/.),$(goal)))
ifneq ($(folders),)
.PHONY: $(folders)
$(folders):
	@$(wscale) $(call quote,$@)
endif
