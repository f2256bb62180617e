# brokerbench: `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN := $(CURDIR)/.bin
GOFUMPT := $(BIN)/gofumpt-v0.9.2
GOLANGCI_LINT := $(BIN)/golangci-lint-v2.6.2
FUZZTIME ?= 20s

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./brokerbench
	go build -o brokerbench ./cmd/brokerbench

.PHONY: test
test: ## unit tests, and the same tests with five real brokers and a browser, which it provides
	deploy/local/test

.PHONY: test-servers
test-servers: ## test what provides the real brokers: each of them, newer ones, clusters of three, durability; some minutes, 2 GB
	deploy/local/brokers_test.sh nats redis rabbitmq kafka redis8 valkey rabbitmq4 mosquitto
	deploy/local/servers_test.sh
	BROKERBENCH_TEST_SYSTEMS=1 go test ./system/local -run EveryBroker -timeout 30m

.PHONY: unit
unit: ## unit tests only: no broker is started
	go test ./...

.PHONY: check
check: fmt-check vet lint unit-race tidy-check ## all that must hold before a commit

.PHONY: fmt
fmt: $(GOFUMPT) ## format the code
	$(GOFUMPT) -w .

.PHONY: fmt-check
fmt-check: $(GOFUMPT)
	@out=$$($(GOFUMPT) -l .); if [ -n "$$out" ]; then echo "not formatted (make fmt):"; echo "$$out"; exit 1; fi

.PHONY: vet
vet:
	go vet ./...

.PHONY: lint
lint: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) run ./...

.PHONY: unit-race
unit-race:
	go test -race -short ./...

.PHONY: tidy-check
tidy-check:
	go mod tidy -diff
	go mod verify

.PHONY: bench
bench: ## measure brokerbench itself, with the brokers it provides; rewrites docs/performance.md (BENCH="-only 'Kafka|audit'": some of it; BENCH=-short: too briefly; neither is written)
	go build -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/selfbench ./cmd/internal/selfbench
	deploy/local/with $(BIN)/selfbench $(BENCH) -doc docs/performance.md $(BIN)/brokerbench

.PHONY: durability
durability: ## measure each level of durability on four brokers and kill them, half an hour; rewrites docs/durability.md (DURABILITY=-short: neither long nor written)
	go build -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/promises ./cmd/internal/promises
	$(BIN)/promises $(DURABILITY) -doc docs/durability.md $(BIN)/brokerbench

AGENTS ?= 50,200,1000

.PHONY: pretend
pretend: ## measure what a coordinator costs, with AGENTS (50,200,1000) that only pretend to send; some minutes; rewrites docs/cluster.md
	go build -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/pretend ./cmd/internal/pretend
	$(BIN)/pretend -agents $(AGENTS) -doc docs/cluster.md $(BIN)/brokerbench

SOAK ?= 30m

.PHONY: soak
soak: ## measure for SOAK (30m) each on NATS and on a system that loses 1 %, and see that memory does not grow; rewrites docs/performance.md
	go build -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/selfbench ./cmd/internal/selfbench
	deploy/local/with $(BIN)/selfbench -soak $(SOAK) -doc docs/performance.md $(BIN)/brokerbench

.PHONY: verify-busy
verify-busy: ## run verify 20 times (RUNS) beside a machine that compiles, and count its answers
	measure/verify/busy.sh

.PHONY: mutants
mutants: ## build mistakes into the engine, and let verify find each, 10 times (RUNS)
	go test ./measure/verify -run Mutants -count $(or $(RUNS),10) -v

SIMULATED := ./histogram/confidence ./measure ./measure/search ./results/compare ./results/history ./results/rank ./results/ab

.PHONY: simulate
simulate: ## simulate what docs/methodology.md claims (an hour); rewrites docs/simulations
	@set -e; for dir in $(SIMULATED); do \
	  echo "== $$dir"; go test $$dir -run '^TestSimulat' -count 1 -timeout 90m -v -args -long; done

.PHONY: examples
examples: ## measure the examples of docs/examples.md, with the brokers it provides; rewrites it and its pictures
	go build -o $(BIN)/brokerbench ./cmd/brokerbench
	deploy/local/with docs/examples.sh

.PHONY: fuzz
fuzz: ## fuzz every parser, and the commands that read as a whole, for FUZZTIME (20s) each
	@set -e; go list -f '{{.Dir}}' ./... | while read -r dir; do \
	  for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$$dir"/*_test.go 2>/dev/null | cut -c6-); do \
	    echo "== $$name in $${dir#$(CURDIR)/}"; go test "$$dir" -run XXX -fuzz "^$$name\$$" -fuzztime $(FUZZTIME); \
	  done; done

.PHONY: faults
faults: ## break real brokers, networks and surroundings while the program measures; about 10 minutes (FAULTS=nats/tls: only some)
	BROKERBENCH_FAULTS=1 go test -count 1 -timeout 40m -parallel 3 $(if $(FAULTS),-run 'TestFaults/$(FAULTS)') ./cmd/internal/faults

.PHONY: failures
failures: ## twelve faults with three nodes of each of four brokers: ledgers, outages, promises; about half an hour (FAILURES=redis/kill: only some)
	BROKERBENCH_FAILURES=1 go test -count 1 -timeout 90m -parallel 2 -v $(if $(FAILURES),-run 'TestFailures/$(FAILURES)') ./cmd/internal/failures

.PHONY: containers
containers: ## measure, break and mend nodes in real containers, with the docker or podman that answers, or Debian's podman, which it installs
	deploy/local/containers go test -count 1 -v -run 'Container' ./cmd/internal/cli

.PHONY: deploy-check
deploy-check: ## check deploy/, the workflows and the release with the tool of each kind, which it installs; minutes the first time (DEPLOY="terraform release": only some)
	deploy/check $(DEPLOY)

.PHONY: kubernetes
kubernetes: ## run agents on a real control plane, which it builds from the modules of Kubernetes: minutes the first time; needs root (KUBERNETES=AgentsOnACluster: only some)
	CGO_ENABLED=0 go build -o $(BIN)/static/brokerbench ./cmd/brokerbench
	go -C deploy/kubernetes/test vet .
	go -C deploy/kubernetes/test test -count 1 -v -timeout 30m $(if $(KUBERNETES),-run '$(KUBERNETES)') .

.PHONY: golden
golden: ## rewrite the golden files from what the code prints now
	go test $$(grep -rl --include=*_test.go --exclude-dir=golden 'brokerbench/internal/golden"' . | xargs -n 1 dirname | sort -u) -update

$(GOFUMPT):
	GOBIN=$(BIN) go install mvdan.cc/gofumpt@v0.9.2 && mv $(BIN)/gofumpt $@

$(GOLANGCI_LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.2 && mv $(BIN)/golangci-lint $@
