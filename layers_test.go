// Package brokerbench_test checks the architecture: which package may import
// which. It parses the files; it runs nothing.
package brokerbench_test

import (
	"go/parser"
	"go/token"
	"io/fs"
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
	redis  = "github.com/redis/go-redis/v9"
	amqp   = "github.com/rabbitmq/amqp091-go"
	franz  = "github.com/twmb/franz-go"
	procfs = "github.com/prometheus/procfs"
	gonum  = "gonum.org/v1/plot"
	distuv = "gonum.org/v1/gonum"
	fonts  = "codeberg.org/go-fonts/liberation"
	ximage = "golang.org/x/image"
	prom   = "github.com/prometheus/client_golang"
)

// layers says what each folder may import besides the standard library: folders
// of this module, and modules from outside. A folder that is not here may not
// exist.
var layers = map[string][]string{
	"internal/golden":         {},
	"internal/sheet":          {},
	"internal/suggest":        {},
	"requester":               {},
	"requester/schedule":      {},
	"histogram":               {hdr},
	"internal/student":        {distuv},
	"histogram/confidence":    {"histogram", "internal/student"},
	"requester/plan":          {"requester", "requester/schedule"},
	"requester/load":          {"requester", "requester/schedule", sys},
	"requester/loopback":      {"requester"},
	"requester/loopback/tcp":  {"requester", "requester/load", "requester/loopback"},
	"requester/requestertest": {"requester", "requester/load", "requester/schedule"},
	"requester/measure":       {"requester", "requester/load", "requester/loopback", "requester/schedule", "requester/plan", "histogram", "histogram/confidence", "machine", "results"},

	"requester/verify":            {"internal/sheet", "requester", "requester/loopback", "requester/measure", "requester/plan", "requester/schedule", "results"},
	"requester/search":            {"internal/sheet", "requester/measure", "requester/plan", "histogram", "results", "results/report"},
	"brokers/internal/target":     {"requester", "internal/suggest"},
	"brokers/internal/brokertest": {"requester", "requester/load", "requester/schedule"},
	"brokers/nats":                {"requester", "brokers/internal/target", natsGo},
	"brokers/redis":               {"requester", "brokers/internal/target", redis},
	"brokers/rabbitmq":            {"requester", "brokers/internal/target", amqp},
	"brokers/kafka":               {"requester", "brokers/internal/target", franz},
	"brokers": {
		"requester", "requester/loopback", "internal/suggest", "brokers/internal/target",
		"brokers/nats", "brokers/redis", "brokers/rabbitmq", "brokers/kafka",
	},

	"machine":        {"results", procfs, sys},
	"machine/doctor": {"machine", "requester/load", sys},

	"results":         {"histogram", "requester/plan"},
	"results/compare": {"internal/sheet", "results", "results/report", "histogram", "histogram/confidence", "internal/student", "requester/plan", "requester/schedule"},
	"results/html":    {"results", "histogram", "requester/plan"},
	"results/report":  {"internal/sheet", "results", "histogram", "requester/plan", "requester/schedule"},
	"results/source":  {"results", "results/report", "histogram", "requester/schedule"},
	"results/plot":    {"results", "results/source", "histogram", gonum, fonts, ximage},
	"results/merge":   {"internal/sheet", "results", "results/source", "results/report", "histogram"},

	"results/internal/resultstest": {"results", "histogram", "requester/plan"},

	"cmd/brokerbench": {"cmd/internal/cli"},
	"cmd/internal/selfbench": {
		"requester", "requester/load", "requester/loopback", "requester/measure", "requester/plan", "requester/schedule",
		"results", "brokers", "cmd/internal/natschild", natsGo, redis, amqp, franz, sys,
	},
	"cmd/internal/child":      {},
	"cmd/internal/natschild":  {"cmd/internal/child", natsSv},
	"cmd/internal/tcpchild":   {"cmd/internal/child", "requester/loopback", "requester/loopback/tcp"},
	"cmd/internal/pausechild": {"cmd/internal/child"},
	"cmd/internal/config":     {"requester", "requester/schedule", "requester/plan", "internal/suggest", yaml},
	"cmd/internal/live":       {"requester/measure", "requester/plan", "results", "results/report"},
	"cmd/internal/metrics":    {"histogram", "requester/measure", "requester/plan", "requester/schedule", "results", prom},
	"cmd/internal/cli": {
		"brokers", "requester", "requester/schedule", "requester/plan", "requester/measure", "results", "results/html", "results/report",
		"results/source", "results/plot", "results/merge", "results/compare",
		"requester/loopback", "requester/verify", "requester/search", "machine", "machine/doctor", "cmd/internal/config", "cmd/internal/natschild", "cmd/internal/tcpchild",
		"cmd/internal/pausechild", "cmd/internal/live", "cmd/internal/metrics", "internal/sheet", "internal/suggest", cobra, pflag, term, sys,
	},
}

func TestLayers(t *testing.T) {
	seen := make(map[string]bool)
	for _, file := range goFiles(t) {
		folder := path.Dir(file)
		seen[folder] = true
		allowed, ok := layers[folder]
		if !ok {
			t.Errorf("%s: the folder %s is not in the table of layers", file, folder)
			continue
		}
		for _, imported := range imports(t, file) {
			if !permitted(imported, allowed) {
				t.Errorf("%s imports %s, which its layer may not", file, imported)
			}
		}
	}
	for folder := range layers {
		if !seen[folder] {
			t.Errorf("the table of layers has %s, which holds no code", folder)
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
