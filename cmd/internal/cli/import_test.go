package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

const (
	ombWorkload = `name: 1 producer / 1 consumer
topics: 1
partitionsPerTopic: 16
messageSize: 1024
payloadFile: "payload/payload-1Kb.data"
subscriptionsPerTopic: 1
consumerPerSubscription: 1
producersPerTopic: 1
producerRate: 200
consumerBacklogSizeGB: 0
testDurationMinutes: 15
`
	ombNATS  = "driverClass: io.openmessaging.benchmark.driver.nats.NatsBenchmarkDriver\nnatsHostUrl: nats://h:4222\n"
	ombRedis = "driverClass: io.openmessaging.benchmark.driver.redis.RedisBenchmarkDriver\nredisHost: h\nredisPass: hidden\njedisPoolMaxWait: 8\n"
)

// ombFiles writes a workload and a driver, and returns their names.
func ombFiles(t *testing.T, workload, driver string) (names [2]string) {
	t.Helper()
	for i, text := range []string{workload, driver} {
		names[i] = filepath.Join(t.TempDir(), []string{"w.yaml", "d.yaml"}[i])
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestConfigImportOMB(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, workload, driver string
		flags                  []string
		code                   int
		texts                  []string
	}{
		{"good", ombWorkload, ombNATS, nil, command.ExitGood, []string{"rate: 200", "topology: {topics: 1, groups: 1, members: 1}"}},
		{"left out", ombWorkload, ombRedis, []string{"--ignore", "jedisPoolMaxWait"}, command.ExitGood, []string{":${REDIS_PASSWORD}@h:6379", "jedisPoolMaxWait is left out"}},
		{"refused", ombWorkload, ombRedis, nil, command.ExitUsage, []string{"d.yaml:4: jedisPoolMaxWait: "}},
		{"refused by the plan", strings.Replace(ombWorkload, "Rate: 200", "Rate: 2000000000", 1), ombNATS, nil, command.ExitUsage, []string{"refuses the plan"}},
		{"the highest rate", strings.Replace(ombWorkload, "Rate: 200", "Rate: 0", 1), ombNATS, nil, command.ExitUsage, []string{"w.yaml:9: producerRate: ", "brokerbench search TARGET"}},
		{"too many groups", strings.Replace(ombWorkload, "subscriptionsPerTopic: 1", "subscriptionsPerTopic: 65", 1), ombNATS, nil, command.ExitUsage, []string{"65 groups are more than 64"}},
	} {
		names := ombFiles(t, tt.workload, tt.driver)
		code, stdout, stderr := invoke(append([]string{"config", "import", "omb", names[0], names[1]}, tt.flags...)...)
		if wantCode(t, code, tt.code, stderr); tt.code == command.ExitGood {
			wantTexts(t, stdout, tt.texts...)
		} else {
			wantTexts(t, stderr, tt.texts...)
		}
		if strings.Contains(stdout+stderr, "hidden") {
			t.Errorf("%s: a password is printed: %s%s", tt.name, stdout, stderr)
		}
	}
}

// What import writes is a plan file, which validate finds good. An input is not replaced.
func TestConfigImportWritesAPlan(t *testing.T) {
	t.Parallel()
	names, out := ombFiles(t, ombWorkload, ombNATS), filepath.Join(t.TempDir(), "plan.yaml")
	code, _, stderr := invoke("config", "import", "omb", names[0], names[1], "-o", out)
	wantCode(t, code, command.ExitGood, stderr)
	code, stdout, stderr := invoke("config", "validate", out)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "good: 1 target, 1 cell, about 16m52s")
	code, _, stderr = invoke("config", "import", "omb", names[0], names[1], "-o", names[0], "--force")
	wantCode(t, code, command.ExitUsage, stderr, "it is read for this output")
	code, _, stderr = invoke("config", "import", "omb", names[0], "absent.yaml")
	wantCode(t, code, command.ExitError, stderr, "absent.yaml: no such file")
	wantOneLine(t, stderr)
}

// A result of the OpenMessaging Benchmark is drawn beside ours; where histograms are needed it is refused.
func TestPlotOfOMBResult(t *testing.T) {
	t.Parallel()
	ours, dir := measured(t, "--report=off"), t.TempDir()
	theirs, chart := filepath.Join(dir, "theirs.json"), filepath.Join(dir, "both.svg")
	const text = `{"aggregatedEndToEndLatencyQuantiles": {"50.0": 1, "91.35": 2, "99.7": 4, "100.0": 12}, "aggregatedEndToEndLatencyMax": 12}`
	if err := os.WriteFile(theirs, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := invoke("plot", "percentiles", ours, theirs, "--tag", "service", "-o", chart)
	wantCode(t, code, command.ExitGood, stderr)
	if svg, err := os.ReadFile(chart); err != nil || !strings.Contains(string(svg), "theirs.json") {
		t.Errorf("%d bytes of chart, %v", len(svg), err)
	}
	for _, tt := range []struct {
		code int
		args []string
	}{
		{command.ExitUsage, []string{"plot", "timeline", theirs, "-o", filepath.Join(dir, "t.svg")}},
		{command.ExitUsage, []string{"merge", theirs}},
		{command.ExitUsage, []string{"compare", ours, theirs, "--fail-on", "p99>10%"}},
	} {
		code, _, stderr = invoke(tt.args...)
		wantCode(t, code, tt.code, stderr)
		wantOneLine(t, stderr)
	}
}

// Compare prints the numbers of other tools' files beside ours, and judges nothing.
func TestCompareBesideFiles(t *testing.T) {
	t.Parallel()
	ours, theirs := written(t, 1, "1", "kafka"), filepath.Join(t.TempDir(), "theirs.json")
	const text = `{"aggregatedEndToEndLatencyQuantiles": {"50.0": 1, "91.35": 2, "99.7": 4, "100.0": 12}, "aggregatedEndToEndLatencyMax": 12}`
	if err := os.WriteFile(theirs, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := invoke("compare", ours, theirs, "--format", "csv")
	wantCode(t, code, command.ExitGood, stderr)
	// p99.9 is not in the file, and nothing but the maximum is above 99.7 %.
	wantTexts(t, stdout, "name,counts_from,p50_ns,p90_ns,p99_ns,p99.9_ns,p99.99_ns,max_ns\n", "\ntheirs.json,sent,1000000,2000000,4000000,,,12000000\n")
	if n := strings.Count(stdout, "\n"); n != 1+3*2+1 {
		t.Errorf("%d lines, want two for each repeat and one for the file:\n%s", n, stdout)
	}
	code, stdout, stderr = invoke("compare", ours, theirs, "../../../histogram/testdata/golden/stall.hgrm")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "1.00  2.00  4.00      -       -  12.0", "stall.hgrm", "nothing is judged")
}
