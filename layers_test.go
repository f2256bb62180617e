// Package brokerbench_test checks the architecture: which package may import
// which. It parses the files; it runs nothing.
package brokerbench_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/brokerbench/brokerbench/"

// The modules from outside that packages may use.
const (
	hdr    = "github.com/HdrHistogram/hdrhistogram-go"
	sys    = "golang.org/x/sys"
	cobra  = "github.com/spf13/cobra"
	yaml   = "go.yaml.in/yaml/v4"
	pflag  = "github.com/spf13/pflag"
	term   = "golang.org/x/term"
	natsGo = "github.com/nats-io/nats.go"
	natsSv = "github.com/nats-io/nats-server/v2"
	nkeys  = "github.com/nats-io/nkeys"
	redis  = "github.com/redis/go-redis/v9"
	amqp   = "github.com/rabbitmq/amqp091-go"
	amqp10 = "github.com/Azure/go-amqp"
	strGo  = "github.com/rabbitmq/rabbitmq-stream-go-client"
	pahoGo = "github.com/eclipse/paho.golang"
	franz  = "github.com/twmb/franz-go"
	procfs = "github.com/prometheus/procfs"
	gonum  = "gonum.org/v1/plot"
	distuv = "gonum.org/v1/gonum"
	fonts  = "codeberg.org/go-fonts/liberation"
	ximage = "golang.org/x/image"
	prom   = "github.com/prometheus/client_golang"
)

// floors are the top folders from the bottom up. A folder imports those below it
// and its own, never one above.
var floors = []string{
	"internal", "deploy", "plan", "histogram", "requester", "results", "machine", "system", "measure", "cluster", "brokers", "report", "cmd", "examples",
}

// layers says what each folder may import besides the standard library: folders
// of this module, and modules from outside. A folder that is not here may not
// exist.
var layers = map[string][]string{
	"internal/atomicfile":          {},
	"internal/exact":               {distuv},
	"internal/golden":              {},
	"internal/holm":                {},
	"internal/mounts":              {procfs},
	"internal/numbers":             {},
	"internal/linetest":            {},
	"internal/process":             {procfs, sys},
	"internal/process/processtest": {"internal/process"},
	"internal/proxy":               {},
	"internal/regular":             {},
	"internal/relay":               {},
	"internal/self":                {"internal/process"},
	"internal/simulation":          {},
	"internal/student":             {distuv},
	"internal/suggest":             {},
	"internal/traffic":             {"internal/process", sys},
	"internal/words":               {},

	"plan":          {"internal/words", "plan/schedule"},
	"plan/schedule": {},
	"plan/config":   {"plan", "plan/schedule", "internal/suggest", yaml},

	"histogram":            {hdr},
	"histogram/confidence": {"histogram", "internal/student"},

	"requester":                {},
	"requester/internal/setup": {"requester"},
	"requester/echo":           {"requester", "requester/internal/setup", "histogram"},
	"requester/load":           {"requester", "requester/internal/setup", "plan/schedule", sys},
	"requester/loopback":       {"requester"},
	"requester/loopback/tcp":   {"requester", "requester/load", "requester/loopback"},
	"requester/requestertest":  {"requester", "requester/load", "plan/schedule"},

	"results":             {"internal/atomicfile", "internal/exact", "internal/numbers", "internal/regular", "internal/student", "internal/words", "histogram", "plan", "requester", "requester/load"},
	"results/answer":      {"internal/words", "results", "results/compare", "results/rank", "plan", "plan/schedule"},
	"results/ab":          {"internal/numbers", "results", "results/paired"},
	"results/compare":     {"internal/exact", "internal/holm", "internal/numbers", "internal/student", "internal/words", "results", "results/source", "histogram", "histogram/confidence", "plan", "plan/schedule"},
	"results/history":     {"internal/numbers", "results", "results/compare", "plan", "plan/schedule"},
	"results/paired":      {"histogram", "internal/holm", "internal/numbers", "internal/student"},
	"results/rank":        {"internal/words", "results", "results/compare", "results/paired", "plan", "plan/schedule"},
	"results/source":      {"internal/regular", "internal/words", "results", "histogram", "plan/schedule"},
	"results/merge":       {"requester", "results", "results/source", "histogram"},
	"results/resultstest": {"results", "histogram", "plan", "plan/schedule"},

	"machine":        {"machine/cgroup", "results", procfs, sys},
	"machine/cgroup": {},
	"machine/doctor": {"machine", "machine/cgroup", "requester/load", "results", sys},

	"deploy/local": {},

	"system":                       {"internal/process", "internal/traffic", "plan", "results", "system/guardian"},
	"system/guardian":              {"internal/process", "internal/mounts", "internal/self", sys},
	"system/guardian/guardiantest": {"system/guardian"},
	"system/local":                 {"deploy/local", "internal/process", "internal/suggest", "internal/words", "plan", "plan/config", "system/guardian", "system/network"},
	"system/network":               {"internal/relay", "system/guardian", sys},

	"measure": {
		"internal/exact", "internal/numbers", "internal/words", "requester", "requester/load", "requester/loopback", "plan/schedule", "plan", "histogram", "histogram/confidence", "machine", "results",
	},
	"measure/inject": {"internal/mounts", "internal/process", "internal/relay", "plan", "requester", "results", sys},
	"measure/search": {"internal/words", "measure", "plan", "plan/schedule", "histogram", "results"},
	"measure/verify": {"requester", "requester/load", "requester/loopback", "histogram", "measure", "plan", "plan/schedule", "results"},

	"cluster/wire":        {"plan", "results"},
	"cluster/attempt":     {"cluster/wire"},
	"cluster/control":     {"cluster/wire", natsGo, natsSv, nkeys},
	"cluster/agent":       {"cluster/control", "cluster/wire", "results", natsGo},
	"cluster/coordinator": {"cluster/attempt", "cluster/wire", "measure", "plan", "results", natsGo},
	"cluster/place":       {"cluster/wire", "internal/process"},

	"brokers/target":              {"requester", "internal/regular", "internal/suggest"},
	"brokers/internal/outage":     {"requester"},
	"brokers/internal/refusal":    {},
	"brokers/internal/supervise":  {"requester"},
	"brokers/internal/made":       {},
	"brokers/internal/outbox":     {},
	"brokers/internal/brokertest": {"internal/proxy", "requester", "requester/echo", "requester/load", "plan/schedule", "brokers/target"},
	"brokers/internal/guard":      {},
	"brokers/internal/leftover":   {},
	"brokers/internal/management": {"requester", "brokers/target"},
	"brokers/nats":                {"requester", "brokers/internal/leftover", "brokers/target", "brokers/internal/outage", "brokers/internal/refusal", natsGo},
	"brokers/redis":               {"requester", "brokers/internal/leftover", "brokers/target", "brokers/internal/outage", "brokers/internal/refusal", redis},
	"brokers/rabbitmq":            {"requester", "brokers/internal/guard", "brokers/internal/leftover", "brokers/internal/made", "brokers/internal/management", "brokers/internal/supervise", "brokers/target", amqp},
	"brokers/rabbitstream": {
		"requester", "brokers/internal/guard", "brokers/internal/leftover", "brokers/internal/made", "brokers/internal/management", "brokers/internal/supervise", "brokers/target", "internal/words", strGo,
	},
	"brokers/amqp1": {"requester", "brokers/internal/leftover", "brokers/internal/made", "brokers/internal/outbox", "brokers/internal/supervise", "brokers/target", "brokers/rabbitmq", amqp10},
	"brokers/mqtt":  {"requester", "brokers/internal/guard", "brokers/internal/leftover", "brokers/internal/made", "brokers/internal/outbox", "brokers/internal/supervise", "brokers/target", pahoGo},
	"brokers/kafka": {"requester", "brokers/internal/leftover", "brokers/internal/made", "brokers/target", "brokers/internal/outage", "histogram", franz},
	"brokers": {
		"requester", "requester/loopback", "internal/suggest", "brokers/internal/leftover", "brokers/target",
		"brokers/nats", "brokers/redis", "brokers/rabbitmq", "brokers/rabbitstream", "brokers/amqp1", "brokers/kafka", "brokers/mqtt",
	},

	"report": {
		"internal/words", "report/document", "requester", "histogram", "histogram/confidence", "machine/doctor", "measure/search", "measure/verify", "plan",
		"plan/schedule", "results", "results/ab", "results/answer", "results/compare", "results/history", "results/merge", "results/paired", "results/rank",
	},
	"report/document": {},
	"report/html":     {"internal/regular", "internal/words", "measure/search", "report/palette", "results", "results/answer", "results/source", "histogram", "plan"},
	"report/palette":  {},
	"report/plot":     {"internal/words", "report/palette", "results", "results/history", "results/source", "histogram", "plan/schedule", gonum, fonts, ximage},

	"examples/ownbroker":         {"brokers", "brokers/target", "cmd", "requester"},
	"examples/ownbroker/service": {},

	"cmd/internal/pretend":  {"cluster/agent", "cluster/wire", "machine", "measure", "plan/schedule", "report", "report/document", "requester/loopback", "results", procfs},
	"cmd/internal/promises": {"internal/words", "machine", "measure", "report", "report/document", "requester", "results"},
	"cmd":                   {"brokers", "cmd/internal/cli"},
	"cmd/brokerbench":       {"brokers", "cmd"},
	"cmd/internal/selfbench": {
		"cmd/internal/live", "histogram", "machine", "report", "report/document", "requester", "requester/load", "requester/loopback", "measure", "plan", "plan/schedule",
		"results", "results/paired", "brokers", natsGo, redis, amqp, franz, procfs, sys,
	},
	"cmd/internal/child":   {"internal/process", "internal/relay", "internal/self", "histogram", "machine", "requester", "requester/echo", "requester/loopback", "requester/loopback/tcp", "system/guardian", natsSv},
	"cmd/internal/live":    {"internal/words", "measure", "plan", "results"},
	"cmd/internal/metrics": {"histogram", "measure", "plan", "plan/schedule", "results", prom},
	"cmd/internal/cli": {
		"brokers", "brokers/target", "requester", "plan", "plan/schedule", "plan/config", "measure", "results", "report/palette", "report/html", "report", "report/document",
		"results/source", "report/plot", "results/merge", "results/ab", "results/compare", "results/history", "results/rank", "internal/words",
		"requester/loopback", "measure/inject", "measure/verify", "measure/search", "internal/process", "machine", "machine/doctor", "cmd/internal/child", "internal/relay", "system", "system/guardian", "system/local", "system/network",
		"cluster/agent", "cluster/control", "cluster/coordinator", "cluster/place", "cluster/wire", natsGo,
		"cmd/internal/live", "cmd/internal/metrics", "internal/atomicfile", "internal/suggest", cobra, pflag, term, sys,
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

// A folder that holds a quarter of the code is more than one idea.
func TestNoTopFolderIsTooLarge(t *testing.T) {
	lines, all := make(map[string]int), 0
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		top, rest, _ := strings.Cut(file, "/")
		if broker, _, nested := strings.Cut(rest, "/"); top == "brokers" && nested {
			top += "/" + broker // one does not know of the others, and there will be more
		}
		n := strings.Count(string(text), "\n")
		lines[top], all = lines[top]+n, all+n
	}
	for top, n := range lines {
		if t.Logf("%-20s %5d lines, %4.1f %%", top, n, 100*float64(n)/float64(all)); 4*n > all {
			t.Errorf("%s holds more than a quarter of the code", top)
		}
	}
}

func TestNoArrowRunsUp(t *testing.T) {
	floor := func(folder string) int {
		top, _, _ := strings.Cut(folder, "/")
		n := slices.Index(floors, top)
		if n < 0 {
			t.Fatalf("the top folder %s is on no floor", top)
		}
		return n
	}
	for folder, allowed := range layers {
		for _, imported := range allowed {
			if _, ours := layers[imported]; ours && floor(imported) > floor(folder) {
				t.Errorf("%s imports %s, which is on a floor above", folder, imported)
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

// goFiles returns every Go file that is not a test, with slashes.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (base == "testdata" || base != "." && strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go"):
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

func imports(t *testing.T, file string) (paths []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, imported)
	}
	return paths
}
