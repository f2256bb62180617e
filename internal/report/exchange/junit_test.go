package exchange_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
)

// The schema of the files that CI servers read: every attribute is required.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string     `xml:"name,attr"`
			Class   string     `xml:"classname,attr"`
			Failure *struct{}  `xml:"failure"`
			Error   *struct{}  `xml:"error"`
			Skipped *struct{}  `xml:"skipped"`
			Unknown []struct{} `xml:",any"`
		} `xml:"testcase"`
	}
)

// tallies returns the tests, failures, errors and skipped ones of each suite, by its name, and checks the
// counts against the cases.
func tallies(t *testing.T, text string) map[string][4]int {
	t.Helper()
	var all suites
	if err := xml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	found := make(map[string][4]int)
	for _, s := range all.Suites {
		var counted [4]int
		for _, c := range s.Cases {
			counted[0]++
			for i, is := range []bool{c.Failure != nil, c.Error != nil, c.Skipped != nil} {
				if is {
					counted[i+1]++
				}
			}
			if c.Name == "" || c.Class == "" {
				t.Errorf("%s: a case without a name: %+v", s.Name, c)
			}
		}
		if found[s.Name] = [4]int{s.Tests, s.Failures, s.Errors, s.Skipped}; found[s.Name] != counted {
			t.Errorf("%s: counts %v, cases %v", s.Name, found[s.Name], counted)
		}
	}
	return found
}

func TestJUnitCases(t *testing.T) {
	got := tallies(t, written(t, sample(), exchange.JUnit))
	const load = ", 1 KiB at 1,000/s, 4 connections, arrivals poisson"
	for name, want := range map[string][4]int{
		"nats" + load: {2, 0, 0, 0}, "redis" + load: {2, 0, 2, 0}, "kafka 3" + load: {2, 1, 0, 0}, "mqtt" + load: {2, 0, 0, 1}, "silent" + load: {2, 0, 2, 0}, "nsq-r1": {1, 0, 1, 0},
	} {
		if got[name] != want {
			t.Errorf("%s: tests, failures, errors, skipped are %v, want %v; all: %v", name, got[name], want, got)
		}
	}
}

// Another parser counts the same.
func TestJUnitIsRead(t *testing.T) {
	const count = `import junitparser, sys
for s in junitparser.JUnitXml.fromstring(sys.stdin.read()):
    kinds = [type(r).__name__ for case in s for r in case.result]
    print(s.name, [s.tests, s.failures, s.errors, s.skipped] == [len(list(s))] + [kinds.count(k) for k in ("Failure", "Error", "Skipped")])`
	text := written(t, sample(), exchange.JUnit)
	said := python(t, text, count)
	if strings.Count(said, " True\n") != len(tallies(t, text)) || strings.Contains(said, "False") {
		t.Errorf("junitparser: %s", said)
	}
}

func TestJUnitGates(t *testing.T) {
	gates := []compare.Gate{{Title: "a", Result: compare.Passed}, {Title: "b", Result: compare.Failed}, {Title: "c", Result: compare.NotDecided, Reason: "one run a side"}}
	list := []*compare.Comparison{{Base: compare.Origin{Dir: "x"}, New: compare.Origin{Dir: "y"}, FailOn: []compare.Outcome{{Condition: "p99>10%", Gates: gates}}}}
	var d document.Document
	exchange.OfferGates(&d, list)
	var b strings.Builder
	if err := d.Write(&b, exchange.JUnit); err != nil {
		t.Fatal(err)
	}
	if got, want := tallies(t, b.String())["x → y"], [4]int{3, 1, 0, 1}; got != want {
		t.Errorf("tests, failures, errors, skipped are %v, want %v", got, want)
	}
}
