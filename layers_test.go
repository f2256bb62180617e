// Package brokerbench_test checks the architecture: which package may import
// which. It parses the files; it runs nothing.
package brokerbench_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/brokerbench/brokerbench/"

// The modules from outside that packages may use.
const (
	sys    = "golang.org/x/sys"
	cobra  = "github.com/spf13/cobra"
	yaml   = "go.yaml.in/yaml/v4"
	pflag  = "github.com/spf13/pflag"
	term   = "golang.org/x/term"
	natsGo = "github.com/nats-io/nats.go"
	natsSv = "github.com/nats-io/nats-server/v2"
	redis  = "github.com/redis/go-redis/v9"
	amqp   = "github.com/rabbitmq/amqp091-go"
	amqp10 = "github.com/Azure/go-amqp"
	strGo  = "github.com/rabbitmq/rabbitmq-stream-go-client"
	pahoGo = "github.com/eclipse/paho.golang"
	goNSQ  = "github.com/nsqio/go-nsq"
	pgxGo  = "github.com/jackc/pgx/v5"
	grpcGo = "google.golang.org/grpc"
	franz  = "github.com/twmb/franz-go"
	procfs = "github.com/prometheus/procfs"
	gonum  = "gonum.org/v1/plot"
	distuv = "gonum.org/v1/gonum"
	fonts  = "codeberg.org/go-fonts/liberation"
	ximage = "golang.org/x/image"
	prom   = "github.com/prometheus/client_golang"
	gomark = "github.com/yuin/goldmark"
)

// layers says what each folder may import besides the standard library: folders
// of this module, and modules from outside. A folder that is not here may not
// exist.
var layers = map[string][]string{
	"internal/leaf/cause":               {"internal/leaf/safefile"},
	"internal/leaf/golden":              {},
	"internal/leaf/longtest":            {},
	"internal/leaf/poll":                {},
	"internal/leaf/group":               {},
	"internal/leaf/linetest":            {"internal/leaf/relay"},
	"internal/leaf/process":             {procfs, sys},
	"internal/leaf/process/processtest": {"internal/leaf/process"},
	"internal/leaf/safefile":            {},
	"internal/leaf/relay":               {"internal/leaf/self"},
	"internal/leaf/self":                {"internal/leaf/process"},
	"internal/leaf/simulation":          {},
	"internal/leaf/splitmix":            {},
	"internal/leaf/ssh":                 {"internal/leaf/process"},
	"internal/leaf/suggest":             {},
	"internal/leaf/witness":             {sys}, // it shares nothing with what it checks
	"internal/leaf/words":               {},

	"plan":                    {"internal/leaf/words", "plan/payload", "plan/schedule"},
	"plan/payload":            {},
	"plan/schedule":           {"internal/leaf/splitmix"},
	"internal/config/excerpt": {},
	"internal/config/number":  {"plan/schedule"},
	"internal/config":         {"internal/config/excerpt", "internal/config/number", "plan", "plan/payload", "plan/schedule", "internal/leaf/suggest", yaml},

	"internal/omb": {"plan", yaml},

	"histogram":           {},
	"internal/stats":      {"histogram", distuv},
	"internal/confidence": {"histogram", "internal/stats"},

	"requester":        {},
	"internal/setup":   {"requester"},
	"internal/echo":    {"requester", "internal/setup", "histogram"},
	"internal/content": {"internal/leaf/splitmix", "requester", "plan/payload", "plan/schedule"},
	"requester/load": {
		"internal/content", "requester", "internal/setup", "plan/payload", "plan/schedule", "requester/load/internal/notes", "requester/load/internal/order", "requester/load/internal/ring", "requester/load/internal/wait",
	},
	"requester/load/internal/notes": {"requester"},
	"requester/load/internal/order": {"plan/schedule"},
	"requester/load/internal/ring":  {},
	"requester/load/internal/wait":  {sys},
	"internal/loopback":             {"requester"},
	"internal/loopback/tcp":         {"requester", "requester/load", "internal/loopback"},
	"requester/requestertest":       {"internal/leaf/poll", "requester", "requester/load", "plan/schedule"},

	"results":                     {"internal/confidence", "internal/leaf/cause", "internal/leaf/group", "internal/leaf/safefile", "results/internal/audit", "results/internal/deliveries", "results/internal/file", "results/internal/host", "results/internal/spell", "results/internal/tail", "results/internal/total", "results/internal/usage", "histogram", "plan", "plan/schedule", "requester", "requester/load"},
	"results/internal/audit":      {},
	"results/internal/file":       {"internal/leaf/safefile"},
	"results/internal/host":       {},
	"results/internal/spell":      {"internal/stats"},
	"results/internal/total":      {},
	"results/internal/usage":      {"results/internal/total"},
	"internal/powercut":           {"internal/leaf/words", "requester", "results"},
	"internal/sections":           {"results"},
	"internal/answer":             {"internal/leaf/cause", "internal/leaf/group", "internal/leaf/words", "requester", "results", "histogram", "internal/confidence", "internal/compare", "internal/compare/rank", "plan", "plan/schedule"},
	"internal/compare/ab":         {"internal/stats", "results"},
	"internal/compare":            {"internal/sections", "internal/leaf/group", "internal/stats", "internal/leaf/words", "results", "internal/source", "histogram", "internal/confidence", "plan", "plan/payload", "plan/schedule"},
	"internal/compare/history":    {"internal/leaf/group", "internal/stats", "results", "internal/compare", "plan"},
	"internal/compare/rank":       {"internal/leaf/group", "internal/leaf/words", "results", "internal/compare", "internal/stats", "plan"},
	"internal/source":             {"internal/sections", "internal/leaf/group", "internal/leaf/safefile", "results", "histogram", "plan/schedule"},
	"internal/merge":              {"internal/leaf/group", "requester", "results", "internal/source", "histogram"},
	"internal/resultstest":        {"results", "histogram", "plan", "plan/schedule"},
	"results/internal/deliveries": {"requester/load"},
	"results/internal/tail":       {},

	"internal/machine":        {"internal/machine/cgroup", "results", procfs, sys},
	"internal/machine/cgroup": {procfs},
	"internal/causes":         {"internal/leaf/cause"},
	"internal/causes/leader":  {"internal/leaf/cause", "requester"},
	"internal/causes/sample":  {"internal/leaf/cause", "internal/leaf/process", "internal/machine/cgroup", sys},
	"internal/machine/disk":   {"histogram", "plan", "results", sys},
	"internal/machine/doctor": {"internal/machine", "internal/machine/cgroup", "internal/machine/disk", "plan", "requester/load", "results", sys},

	"deploy/local": {},

	"internal/systems/nodes":                 {"internal/leaf/process", "internal/leaf/ssh", "internal/machine", "plan", "results", "internal/systems/guardian"},
	"internal/systems/guardian":              {"internal/leaf/process", "internal/leaf/self", sys},
	"internal/systems/guardian/guardiantest": {"internal/systems/guardian"},
	"internal/systems/local":                 {"deploy/local", "internal/leaf/process", "internal/leaf/suggest", "internal/leaf/words", "plan", "internal/config", "internal/systems/guardian"},
	"internal/faults/network":                {"internal/leaf/process", "internal/leaf/relay", procfs},

	"internal/record":        {"internal/leaf/cause", "requester", "requester/load", "plan/schedule", "plan", "histogram", "results", "internal/leaf/words"},
	"internal/backlog":       {"internal/content", "internal/leaf/words", "internal/record", "internal/setup", "plan", "requester", "requester/load", "results"},
	"internal/users":         {"histogram", "internal/confidence", "internal/record", "plan", "requester/load", "results"},
	"measure":                {"internal/causes/leader", "internal/leaf/cause", "internal/backlog", "internal/users", "internal/record", "internal/sections", "requester", "requester/load", "plan/payload", "plan/schedule", "plan", "histogram", "internal/machine", "results"},
	"internal/faults/inject": {"internal/leaf/process", "internal/leaf/relay", "plan", "requester", "results", sys},
	"internal/canary":        {"histogram", "internal/leaf/safefile", "internal/leaf/words", "plan/schedule", "requester", "requester/load", "results"},
	"internal/claims":        {"histogram", "internal/compare", "internal/compare/rank", "internal/config", "internal/leaf/group", "internal/leaf/words", "internal/search", "internal/stats", "plan", "plan/schedule", "results", yaml},
	"internal/search":        {"internal/leaf/safefile", "internal/leaf/words", "plan", "plan/schedule", "histogram", "results", "internal/judge", "internal/run"},
	"internal/verify":        {"requester", "requester/load", "internal/loopback", "internal/source", "histogram", "measure", "plan", "plan/schedule", "results", "internal/run"},

	"internal/agents/wire":        {"histogram", "internal/leaf/safefile", "plan", "plan/schedule", "results"},
	"internal/agents/attempt":     {"internal/agents/wire"},
	"internal/agents/control":     {"internal/agents/wire", natsGo, natsSv},
	"internal/agents/agent":       {"internal/agents/control", "internal/agents/wire", "results", natsGo},
	"internal/agents/coordinator": {"internal/leaf/safefile", "internal/agents/attempt", "internal/agents/wire", "plan", "plan/schedule", "results", natsGo, "internal/agents/merge"},
	"internal/agents/group":       {"internal/agents/control", "internal/agents/coordinator", "internal/agents/place", "internal/agents/wire", "internal/leaf/safefile", "internal/leaf/ssh", "plan", "plan/schedule", "results", natsGo, "internal/agents/merge", "internal/run"},
	"internal/agents/place":       {"internal/agents/wire", "internal/leaf/process", "internal/leaf/ssh"},

	"brokers/target":              {"requester", "internal/config/number", "internal/leaf/safefile", "internal/leaf/suggest"},
	"brokers/internal/leftover":   {"requester"},
	"brokers/internal/transport":  {"requester", "brokers/internal/leftover", "brokers/target"},
	"brokers/internal/brokertest": {"internal/leaf/longtest", "internal/backlog", "results", "internal/record", "plan", "internal/leaf/linetest", "internal/leaf/poll", "internal/leaf/relay", "requester", "requester/requestertest", "internal/echo", "requester/load", "plan/payload", "plan/schedule", "brokers/target"},
	"brokers/internal/management": {"requester", "brokers/target", "brokers/internal/leftover", "brokers/internal/transport", "internal/leaf/words"},
	"brokers/internal/nats":       {"requester", "brokers/internal/leftover", "brokers/target", "brokers/internal/transport", natsGo},
	"brokers/internal/redis":      {"requester", "brokers/internal/redis/cluster", "brokers/internal/redis/info", "brokers/internal/leftover", "brokers/target", "brokers/internal/transport", redis},
	"brokers/internal/rabbitmq":   {"requester", "brokers/internal/leftover", "brokers/internal/management", "brokers/target", "brokers/internal/transport", amqp},
	"brokers/internal/rabbitstream": {
		"requester", "brokers/internal/leftover", "brokers/internal/management", "brokers/target", "brokers/internal/transport", strGo,
	},
	"brokers/internal/amqp1":         {"requester", "brokers/internal/leftover", "brokers/internal/management", "brokers/target", "brokers/internal/rabbitmq", "brokers/internal/transport", amqp10},
	"brokers/internal/service":       {"brokers/internal/leftover", "internal/leaf/process"},
	"brokers/internal/web":           {"requester", "brokers/internal/leftover", "brokers/internal/service", "brokers/target", "brokers/internal/transport"},
	"brokers/internal/grpc/form":     {"requester", "brokers/internal/service", "brokers/internal/transport", "brokers/target"},
	"brokers/internal/grpc":          {"requester", "brokers/internal/grpc/form", "brokers/internal/leftover", "brokers/internal/service", "brokers/target", "brokers/internal/transport", grpcGo},
	"brokers/internal/adapter":       {"requester", "brokers/target", "brokers/internal/transport", "internal/leaf/process"},
	"brokers/internal/nsq":           {"requester", "brokers/internal/leftover", "brokers/target", "brokers/internal/transport", goNSQ},
	"brokers/internal/postgres":      {"requester", "brokers/internal/leftover", "brokers/target", "brokers/internal/transport", pgxGo},
	"brokers/internal/mqtt":          {"requester", "brokers/internal/leftover", "brokers/internal/management", "brokers/target", "brokers/internal/transport", pahoGo},
	"brokers/internal/kafka":         {"requester", "brokers/internal/kafka/cluster", "brokers/internal/kafka/dress", "brokers/internal/kafka/endings", "brokers/internal/leftover", "brokers/target", "brokers/internal/transport", franz},
	"brokers/internal/kafka/endings": {"requester", "histogram"},
	"brokers/internal/kafka/dress":   {"requester", franz},
	"brokers/internal/redis/cluster": {redis},
	"brokers/internal/redis/info":    {"requester", "brokers/internal/leftover", redis},
	"brokers/internal/kafka/cluster": {"requester", "brokers/internal/leftover", "brokers/target", franz},
	"brokers": {
		"requester", "internal/loopback", "internal/leaf/suggest", "brokers/internal/leftover", "brokers/target",
		"brokers/internal/adapter", "brokers/internal/nats", "brokers/internal/redis", "brokers/internal/rabbitmq", "brokers/internal/rabbitstream", "brokers/internal/amqp1", "brokers/internal/kafka", "brokers/internal/mqtt",
		"brokers/internal/nats", "brokers/internal/redis", "brokers/internal/rabbitmq", "brokers/internal/rabbitstream", "brokers/internal/amqp1", "brokers/internal/kafka", "brokers/internal/mqtt", "brokers/internal/nsq", "brokers/internal/postgres", "brokers/internal/web", "brokers/internal/grpc", "brokers/internal/grpc/form", "brokers/internal/service",
	},

	"internal/report": {
		"internal/leaf/group", "internal/leaf/words", "internal/powercut", "internal/report/backlog", "internal/report/document", "internal/report/format", "internal/report/host", "internal/report/users", "requester", "histogram", "internal/search", "internal/verify", "plan",
		"plan/schedule", "results", "internal/compare/ab", "internal/answer", "internal/merge", "internal/sections",
	},
	"internal/report/comparison": {"internal/claims", "internal/leaf/group", "internal/leaf/words", "internal/report/document", "internal/report/format", "internal/compare", "internal/compare/history", "internal/compare/rank", "internal/stats", "results"},
	"internal/report/canary":     {"internal/canary", "internal/leaf/words", "internal/report/document", "internal/report/format", "requester/load", "results"},
	"internal/report/host":       {"internal/leaf/group", "internal/leaf/words", "internal/machine/doctor", "internal/report/document", "internal/report/format", "results"},
	"internal/report/why":        {"internal/leaf/cause", "internal/leaf/words", "internal/report/document", "internal/report/format"},
	"internal/report/users":      {"internal/leaf/words", "internal/report/document", "internal/report/format", "results"},
	"internal/report/backlog":    {"internal/leaf/words", "internal/report/document", "internal/report/format", "results"},
	"internal/report/format":     {"internal/leaf/words", "internal/stats", "results"},
	"internal/report/document":   {"internal/leaf/words"},
	"internal/report/html":       {"internal/compare/ab", "internal/leaf/group", "internal/leaf/safefile", "internal/leaf/words", "internal/search", "internal/report/input", "internal/report/palette", "internal/report/plot", "results", "internal/answer", "internal/source", "histogram", "plan"},
	"internal/report/palette":    {},
	"internal/report/exchange":   {"internal/answer", "internal/compare", "internal/leaf/words", "internal/report/comparison", "internal/report/document", "internal/report/format", "plan", "results"},
	"internal/report/input":      {"internal/leaf/group", "internal/leaf/words", "results", "internal/source", "histogram", "plan/schedule"},
	"internal/report/plot":       {"internal/leaf/group", "internal/leaf/words", "internal/report/input", "internal/report/palette", "results", "internal/compare/history", "internal/source", "histogram", gonum, fonts, ximage},

	"examples/ownbroker":         {"brokers", "brokers/target", "cmd", "requester"},
	"examples/ownbroker/service": {},

	"tools/study":     {"internal/claims", "internal/leaf/cause", "internal/leaf/words", "plan", "results", gomark},
	"tools/causes":    {"internal/leaf/process", "internal/report/document", "internal/stats"},
	"tools/promises":  {"internal/leaf/witness", "internal/leaf/words", "internal/machine", "internal/report/document", "internal/report/host", "requester", "results"},
	"cmd":             {"brokers", "cmd/internal/cli", "cmd/internal/command"},
	"cmd/brokerbench": {"brokers", "cmd"},
	"tools/selfbench": {
		"internal/causes/sample", "internal/leaf/cause", "internal/leaf/process", "internal/live", "histogram", "internal/machine", "internal/report/document", "internal/report/host", "requester", "requester/load", "internal/loopback", "measure", "plan",
		"plan/schedule", "results", "internal/stats", "brokers", natsGo, redis, amqp, franz, procfs, sys, "internal/run",
	},
	"internal/run/testbed": {
		"brokers", "brokers/target", "internal/agents/agent", "internal/agents/wire", "internal/faults/impact", "internal/faults/inject",
		"internal/faults/network", "internal/leaf/ssh", "internal/leaf/group", "internal/leaf/relay", "internal/leaf/process", "internal/loopback", "internal/machine", "internal/run",
		"internal/run/child", "internal/systems/guardian", "internal/causes/sample", "internal/systems/local", "internal/systems/nodes", "measure", "plan", "plan/schedule",
		"requester", "results",
	},
	"internal/run/child": {
		"histogram", "internal/echo", "internal/leaf/process", "internal/leaf/self", "internal/loopback", "internal/loopback/tcp",
		"internal/machine", "measure", "plan", "requester", "results", natsSv,
	},
	"internal/live":        {"internal/leaf/words", "measure", "plan", "results"},
	"cmd/internal/metrics": {"histogram", "internal/canary", "internal/leaf/words", "measure", "plan", "plan/schedule", "results", prom},
	"cmd/internal/planning": {
		"brokers", "brokers/target", "cmd/internal/command", "internal/claims", "internal/config", "internal/leaf/safefile", "internal/leaf/words", "internal/live", "internal/loopback", "internal/powercut",
		"internal/machine", "internal/machine/doctor", "internal/omb", "internal/report", "internal/report/document", "internal/report/host", "internal/run", "internal/run/child",
		"internal/run/testbed", "internal/source", "internal/verify", "measure", "plan", "plan/schedule", "requester", "requester/requestertest", "results", cobra, pflag,
	},
	"cmd/internal/production": {
		"brokers", "cmd/internal/command", "cmd/internal/metrics", "cmd/internal/planning", "internal/canary", "internal/config", "internal/leaf/safefile", "internal/leaf/words",
		"internal/record", "internal/run/testbed", "plan", "plan/schedule", "requester/load", cobra,
	},
	"cmd/internal/cli": {
		"brokers", "cmd/internal/production", "internal/sections", "cmd/internal/analysis", "cmd/internal/command", "cmd/internal/metrics", "cmd/internal/planning", "internal/agents/agent",
		"internal/agents/coordinator", "internal/agents/group", "internal/agents/wire", "internal/compare/ab", "internal/config",
		"internal/leaf/safefile", "internal/leaf/ssh", "internal/leaf/words", "internal/live", "internal/loopback", "internal/machine", "internal/machine/doctor",
		"internal/report", "internal/report/document", "internal/report/exchange", "internal/run", "internal/run/child", "internal/run/testbed", "internal/search", "measure",
		"plan", "plan/schedule", "results", cobra, pflag,
	},
	"internal/agents/merge":  {"histogram", "internal/judge", "internal/users", "internal/record", "measure", "plan", "plan/schedule", "requester", "requester/load", "results"},
	"internal/faults/impact": {"internal/record", "plan", "plan/schedule", "requester", "requester/load", "results"},
	"internal/judge":         {"histogram", "internal/leaf/group", "internal/users", "internal/confidence", "internal/leaf/words", "internal/machine", "internal/record", "internal/stats", "plan", "results"},
	"internal/run":           {"internal/causes", "internal/sections", "histogram", "internal/judge", "internal/leaf/words", "internal/loopback", "internal/machine", "internal/machine/cgroup", "internal/machine/disk", "internal/record", "measure", "plan", "requester", "requester/load", "results"},
	"cmd/internal/command": {
		"brokers", "internal/compare", "internal/config", "internal/leaf/safefile", "internal/leaf/suggest", "internal/live",
		"internal/report/document", "internal/report/exchange", "results", cobra, pflag, sys, term,
	},
	"cmd/internal/analysis": {
		"internal/answer", "internal/causes", "internal/leaf/cause", "internal/report/why", "internal/canary", "internal/claims", "internal/sections", "internal/stats", "cmd/internal/command", "internal/compare", "internal/compare/history", "internal/compare/rank", "internal/leaf/safefile",
		"internal/leaf/words", "internal/merge", "internal/report", "internal/report/canary", "internal/report/comparison", "internal/report/document", "internal/report/exchange",
		"internal/report/html", "internal/report/input", "internal/report/palette", "internal/report/plot", "internal/search", "internal/source", "plan", "results", cobra,
		pflag,
	},
}

func TestLayers(t *testing.T) {
	imported := make(map[string][]string) // by the folder that imports
	for _, file := range goFiles(t) {
		folder := path.Dir(file)
		allowed, ok := layers[folder]
		if !ok {
			t.Errorf("%s: the folder %s is not in the table of layers", file, folder)
			continue
		}
		found := imports(t, file)
		imported[folder] = append(imported[folder], found...)
		for _, name := range found {
			if !permitted(name, allowed) {
				t.Errorf("%s imports %s, which its layer may not", file, name)
			}
		}
	}
	for folder, allowed := range layers {
		if _, ok := imported[folder]; !ok {
			t.Errorf("the table of layers has %s, which holds no code", folder)
		}
		for _, name := range allowed {
			if !slices.ContainsFunc(imported[folder], func(i string) bool { return permitted(i, []string{name}) && !permitted(i, nil) }) {
				t.Errorf("%s may import %s and does not: take it out of the table", folder, name)
			}
		}
	}
}

// permitted tells whether an import is of the standard library or allowed.
func permitted(imported string, allowed []string) bool {
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		return true
	}
	if folder, ours := strings.CutPrefix(imported, module); ours {
		return slices.Contains(allowed, folder)
	}
	for _, outside := range allowed {
		if imported == outside || strings.HasPrefix(imported, outside+"/") {
			return true
		}
	}
	return false
}
