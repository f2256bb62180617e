package verify_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/verify"
)

// A patch spoils one place of the code. Guarded by the variable mutant, so that one
// program holds them all and the environment chooses.
type patch struct{ file, old, spoilt string }

var patches = []patch{
	{
		"requester/load/conn.go", "due, _ := c.sends.Next()\n",
		"due, _ := c.sends.Next()\nif mutant == `omission` && due >= c.run.cfg.Warmup && c.run.now() > due+time.Millisecond { due = c.run.now() }\n",
	},
	{"requester/load/conn.go", "sent = c.run.now()\n", "sent = mutantSent(c.run.now(), due)\n"},
	{"requester/load/sender.go", "s.punctual.Held(due)", "mutantHeld(s.punctual.Held(due))"},
	{
		"requester/load/supervise.go", "deadline := last + r.cfg.Timeout\n",
		"deadline := last + r.cfg.Timeout\nif mutant == `forgiven` || mutant == `impatient` { deadline = last }\n",
	},
	{
		"requester/load/tally.go", "c.window.Unsent = unsent - c.warmup.Unsent\n",
		"c.window.Unsent = unsent - c.warmup.Unsent\nc.window.Ledger = mutantLedger(c.window.Ledger)\n",
	},
	{
		"requester/load/finish.go", "d.count(r.dueTill+1, &r.cfg)\n",
		"d.count(r.dueTill+1, &r.cfg)\nif mutant == `connection` && i == 3 { d.warmup, d.window = 0, 0 }\n",
	},
	{"requester/load/merge.go", "c.arrivals.Next(); ok {\n", "c.arrivals.Next(); ok && !(mutant == `connection` && c.index == 3) {\n"},
	{"measure/recording.go", "Value: op.Response()},\n\t\t{Series: record.Service", "Value: mutantResponse(op)},\n\t\t{Series: record.Service"},
	{"measure/recording.go", "Value: op.Lag()}", "Value: mutantLag(op)}"},
}

// added are files with what the patches use.
var added = map[string]string{
	"requester/load/mutant.go": `package load

import ("os"; "time")

var mutant = os.Getenv("BROKERBENCH_MUTANT")

func mutantSent(now, due time.Duration) time.Duration {
	if mutant == "sent when due" { return due }
	return now
}

func mutantHeld(held time.Duration) time.Duration {
	if mutant == "held" { return 0 }
	return held
}

func mutantLedger(l Ledger) Ledger {
	switch mutant {
	case "losses":
		l.Due, l.Lost = l.Due-l.Lost, 0
	case "forgiven":
		l.Due, l.Lost, l.Unsent = l.Done+l.Failed, 0, 0
	}
	return l
}
`,
	"measure/mutant.go": `package measure

import ("os"; "time"; "github.com/brokerbench/brokerbench/requester/load")

var mutant = os.Getenv("BROKERBENCH_MUTANT")

func mutantResponse(op load.Op) time.Duration {
	if mutant == "service" { return op.Service() }
	return op.Response()
}

func mutantLag(op load.Op) time.Duration {
	if mutant == "lag" { return 0 }
	return op.Lag()
}
`,
}

// mutants are the mistakes, and a row that finds each whatever the machine does.
var mutants = []struct{ name, row string }{
	{"omission", "on schedule"},
	{"forgiven", "due"},
	{"impatient", "ended"},
	{"losses", "due"},
	{"service", "response, bucket by bucket"},
	{"lag", "lag, bucket by bucket"},
	{"sent when due", "sent in time"},
	{"held", "held and lag"},
	{"connection", "not forgotten"},
}

// buildMutants builds the program with every patch, and returns its path.
func buildMutants(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for name, text := range added {
		texts[name] = text
	}
	for _, p := range patches {
		if texts[p.file] == "" {
			texts[p.file] = read(t, filepath.Join(root, p.file))
		}
		if strings.Count(texts[p.file], p.old) != 1 {
			t.Fatalf("%s no longer has %q, once: mend the patch", p.file, p.old)
		}
		texts[p.file] = strings.Replace(texts[p.file], p.old, p.spoilt, 1)
	}
	dir := t.TempDir()
	replace := make(map[string]string)
	for name, text := range texts {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		write(t, to, text)
		replace[filepath.Join(root, name)] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "mutants.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./cmd/brokerbench")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each mistake is built into the engine, and the command finds it, in any noise:
// here they all run at once. The engine as it is never disagrees.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and runs it for 25 s")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	program := buildMutants(t)
	results := make(map[string]chan outcome)
	for _, name := range append([]string{""}, names()...) {
		results[name] = make(chan outcome, 1)
		go func() { results[name] <- verifyWith(t, program, name) }()
	}
	for _, m := range mutants {
		o := <-results[m.name]
		rows := disagreeing(o.checks)
		if o.err != nil || o.code != 1 || !slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, ": "+m.row+": ") }) {
			t.Errorf("%s: exit code %d, %v; disagreeing are %q, want %s", m.name, o.code, o.err, rows, m.row)
		}
		t.Logf("%s: %d rows, the first: %s", m.name, len(rows), slices.Concat(rows, []string{"none"})[0])
	}
	if o := <-results[""]; o.err != nil || o.code == 1 {
		t.Errorf("the engine as it is disagrees: %v, %q", o.err, disagreeing(o.checks))
	}
}

func names() (list []string) {
	for _, m := range mutants {
		list = append(list, m.name)
	}
	return list
}

// An outcome is what the program said as a mutant.
type outcome struct {
	code   int
	checks []verify.Check
	err    error
}

// verifyWith runs the program as a mutant.
func verifyWith(t *testing.T, program, mutant string) (o outcome) {
	c := exec.CommandContext(t.Context(), program, "verify", "--duration", "1s", "--format", "json")
	c.Env = append(os.Environ(), "BROKERBENCH_MUTANT="+mutant)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return outcome{err: err}
	}
	if err := json.Unmarshal(out, &o.checks); err != nil {
		o.err = fmt.Errorf("%w: %s%s", err, out, stderr.String())
	}
	o.code = c.ProcessState.ExitCode()
	return o
}

func disagreeing(checks []verify.Check) (rows []string) {
	for _, c := range checks {
		for _, r := range c.Rows {
			if !r.Agrees {
				rows = append(rows, c.Scenario+", "+c.Mode+": "+r.Name+": "+r.Where)
			}
		}
	}
	return rows
}
