# brokerbench: `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN := $(CURDIR)/.bin
GOFUMPT := $(BIN)/gofumpt-v0.9.2
GOLANGCI_LINT := $(BIN)/golangci-lint-v2.6.2
VALE := $(BIN)/vale-v3.21.0
FUZZTIME ?= 20s
TAGS := -tags grpcnotrace # with gRPC: see brokers/nogrpc.go
# install gets the packages of brokers that plans start (local:), which brokerbench itself does not install.
install = deploy/local/with --require $(1) -- true

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./brokerbench
	go build $(TAGS) -o brokerbench ./cmd/brokerbench

.PHONY: test
test: ## all tests but the long ones of test-all, with seven real brokers and a browser, which it provides
	deploy/local/test

.PHONY: test-all
test-all: ## run every test that CI does not run, and name those that this machine cannot run; three hours (SUITES=--list: only list them; SUITES="faults fuzz": only some)
	deploy/local/test-all $(SUITES)

.PHONY: test-servers
test-servers: ## test the scripts that provide brokers: old and new versions, clusters of three; some minutes, 2 GB
	deploy/local/brokers_test.sh nats redis rabbitmq kafka redis8 valkey rabbitmq4 mosquitto nsq postgres artemis qpid
	deploy/local/servers_test.sh
	BROKERBENCH_TEST_SYSTEMS=1 go test ./internal/systems/local -run EveryBroker -timeout 30m -v

.PHONY: unit
unit: ## unit tests only, without brokers
	go test ./...

.PHONY: check
check: fmt-check vet lint prose-check unit-race tidy-check ## everything that must pass before a commit

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

.PHONY: prose
prose: $(VALE) ## list unidiomatic phrases in Markdown, comments, messages and help (PROSE="docs measure": comments and Markdown there)
	@$(VALE) --output=line --glob='!{.bin/**,.brokers/**,*_test.go,**/*_test.go}' $(or $(PROSE),.)
	$(if $(PROSE),,go test . -count 1 -run TestProse -v)

.PHONY: prose-check
prose-check: $(VALE)
	$(VALE) --output=line --minAlertLevel=error --glob='!{.bin/**,.brokers/**,*_test.go,**/*_test.go}' .

.PHONY: unit-race
unit-race:
	go test -race -short ./...

.PHONY: tidy-check
tidy-check:
	go mod tidy -diff
	go mod verify

.PHONY: bench
bench: ## measure brokerbench itself; rewrites docs/performance.md (BENCH="-only 'Kafka|audit'" or BENCH=-short: less, and the page stays)
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/selfbench ./tools/selfbench
	deploy/local/with $(BIN)/selfbench $(BENCH) -doc docs/performance.md $(BIN)/brokerbench

.PHONY: durability
durability: ## measure each level of durability on four brokers, count their syncs, kill them and delete their data, an hour; rewrites docs/durability.md (DURABILITY=-losses: no latencies; DURABILITY=-short: less, and the page stays)
	deploy/local/install strace strace
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/promises ./tools/promises
	$(BIN)/promises $(DURABILITY) -doc docs/durability.md $(BIN)/brokerbench

.PHONY: power-cut
power-cut: ## cut the power of four brokers, ten times at each level (CUTS), two hours, as root, or go on where it stopped; rewrites docs/durability.md
	$(call install,redis8 rabbitmq rabbitmq4 kafka)
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/promises ./tools/promises
	$(BIN)/promises -power $(or $(CUTS),10) -journal $(BIN)/power-cut.jsonl -doc docs/durability.md $(BIN)/brokerbench

.PHONY: causes-score
causes-score: ## harm four brokers and their client behind the back of brokerbench, and count the causes that it names, 50 minutes, as root; rewrites docs/causes.md (CAUSES=-short: one cell, and the page stays)
	deploy/local/install iptables iptables
	$(call install,redis8 rabbitmq4 kafka)
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/causes ./tools/causes
	$(BIN)/causes $(CAUSES) -doc docs/causes.md $$(mktemp -d) $(BIN)/brokerbench

SOAK ?= 30m

.PHONY: soak
soak: ## measure NATS and a system that loses 1 % for SOAK (30m) each, and check that memory does not grow; rewrites docs/performance.md
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/selfbench ./tools/selfbench
	deploy/local/with $(BIN)/selfbench -soak $(SOAK) -doc docs/performance.md $(BIN)/brokerbench

BUNDLE ?= results/published/$(shell date -u +%F)-two-cores

.PHONY: study
study: ## measure the published study into BUNDLE, 70 minutes, and make its page (STUDY=2016,price: only these parts; STUDY=page: only the page)
	$(if $(filter page,$(STUDY)),,$(call install,redis8 rabbitmq4 kafka))
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	go build -o $(BIN)/study ./tools/study
	.bin/study $(if $(filter page,$(STUDY)),-page,$(if $(STUDY),-parts $(STUDY))) .bin/brokerbench $(BUNDLE)

.PHONY: verify-busy
verify-busy: ## run verify 20 times (RUNS) beside a machine that compiles, and count its answers
	internal/verify/busy.sh

.PHONY: mutants
mutants: ## build mistakes into the engine, and let verify find each, 10 times (RUNS)
	go test ./internal/verify -run Mutants -count $(or $(RUNS),10) -v

SIMULATED := ./internal/confidence ./internal/judge ./internal/search ./internal/compare ./internal/compare/history ./internal/compare/rank ./internal/compare/ab ./internal/claims ./internal/users

.PHONY: simulate
simulate: ## simulate the claims of docs/methodology.md (an hour); rewrites docs/simulations
	@set -e; for dir in $(SIMULATED); do \
	  echo "== $$dir"; go test $$dir -run '^TestSimulat' -count 1 -timeout 90m -v -args -long; done

.PHONY: examples
examples: ## measure the examples again; rewrites docs/examples.md and its pictures
	go build $(TAGS) -o $(BIN)/brokerbench ./cmd/brokerbench
	deploy/local/with docs/examples.sh

.PHONY: fuzz
fuzz: ## fuzz every parser, and the commands that read files, for FUZZTIME (20s) each
	@set -e; go list -f '{{.Dir}}' ./... | while read -r dir; do \
	  for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$$dir"/*_test.go 2>/dev/null | cut -c6-); do \
	    echo "== $$name in $${dir#$(CURDIR)/}"; go test "$$dir" -run XXX -fuzz "^$$name\$$" -fuzztime $(FUZZTIME); \
	  done; done

.PHONY: faults
faults: ## break real brokers, networks and the program's environment during runs; about 10 minutes (FAULTS=nats/tls: some of it)
	BROKERBENCH_FAULTS=1 go test -count 1 -timeout 40m -parallel 3 -v $(if $(FAULTS),-run 'TestFaults/$(FAULTS)') ./cmd/internal/faults

.PHONY: failures
failures: ## fourteen faults with three nodes of each of four brokers, beside a witness that reads packets; about half an hour (FAILURES=redis/kill: some of it)
	$(call install,redis rabbitmq kafka)
	BROKERBENCH_FAILURES=1 go test -count 1 -timeout 90m -parallel 2 -v $(if $(FAILURES),-run 'TestFailures/$(FAILURES)') ./cmd/internal/failures

.PHONY: containers
containers: ## measure nodes in real containers and break them, with docker or podman; installs Debian's podman if neither answers
	deploy/local/containers go test -count 1 -v -run 'Container' ./cmd/internal/cli

.PHONY: deploy-check
deploy-check: ## check deploy/, the workflows and the release with pinned tools, which it installs (DEPLOY="terraform release": some of it)
	deploy/check $(DEPLOY)

.PHONY: release
release: ## make a release twice, compare the two, and test packages, image and programs of both architectures; publishes nothing
	deploy/release/make

.PHONY: kubernetes
kubernetes: ## run agents on a Kubernetes control plane that it builds from modules; needs root (KUBERNETES=AgentsOnACluster: some of it)
	CGO_ENABLED=0 go build $(TAGS) -o $(BIN)/static/brokerbench ./cmd/brokerbench
	go -C deploy/kubernetes/test vet .
	go -C deploy/kubernetes/test test -count 1 -v -timeout 30m $(if $(KUBERNETES),-run '$(KUBERNETES)') .

.PHONY: golden
golden: ## rewrite the golden files from the present output
	go test $$(grep -rl --include=*_test.go --exclude-dir=golden 'brokerbench/internal/leaf/golden"' . | xargs -n 1 dirname | sort -u) -update

$(GOFUMPT):
	GOBIN=$(BIN) go install mvdan.cc/gofumpt@v0.9.2 && mv $(BIN)/gofumpt $@

$(GOLANGCI_LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.2 && mv $(BIN)/golangci-lint $@

$(VALE):
	GOBIN=$(BIN) go install github.com/vale-cli/vale/v3/cmd/vale@v3.21.0 && mv $(BIN)/vale $@
