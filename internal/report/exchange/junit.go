package exchange

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// These are the elements of the schema that Jenkins, GitLab and others read.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		Suites  []*suite `xml:"testsuite"`
	}
	suite struct {
		Name       string     `xml:"name,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Skipped    int        `xml:"skipped,attr"`
		Seconds    string     `xml:"time,attr,omitempty"`
		Properties []property `xml:"properties>property"`
		Cases      []testCase `xml:"testcase"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testCase struct {
		Name    string `xml:"name,attr"`
		Class   string `xml:"classname,attr"`
		Skipped *fault `xml:"skipped"`
		Error   *fault `xml:"error"`
		Failure *fault `xml:"failure"`
		Output  string `xml:"system-out,omitempty"`
	}
	fault struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
	}
)

// add adds a case, and counts it.
func (s *suite) add(c testCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// writeXML writes all suites.
func writeXML(w io.Writer, s suites) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// objectives has a suite for each target under each load, with a case for the verdict and for each
// objective, and a suite for each cell that was not measured.
func objectives(r Run, a *answer.Answer) suites {
	all, outcomes, problems := suites{Name: r.Name}, answer.Outcomes(r.Measured, r.Repeated), invalid(r.Measured)
	for _, s := range a.Shapes {
		for _, t := range s.Targets {
			all.Suites = append(all.Suites, loaded{t, s}.suite(outcomes[t.Cells[0]], problems))
		}
	}
	for _, e := range r.Cells {
		if e.Verdict == "" {
			one := &suite{Name: e.ID}
			one.add(testCase{Name: "measured", Class: e.ID, Error: &fault{notMeasured(e), "not measured"}})
			all.Suites = append(all.Suites, one)
		}
	}
	return all
}

// invalid returns the problems that invalidate each cell, by its ID.
func invalid(cells []*results.Cell) map[string]string {
	texts := make(map[string]string)
	for _, c := range results.BySize(cells) {
		for _, p := range c.Problems {
			if p.Severity == results.Invalid {
				texts[c.ID] = strings.TrimPrefix(texts[c.ID]+"; "+p.Text, "; ")
			}
		}
	}
	return texts
}

func (l loaded) suite(outcomes []results.SLO, problems map[string]string) *suite {
	s := &suite{Name: l.title(), Seconds: fmt.Sprintf("%.3f", seconds(l.WindowNS)), Properties: l.properties()}
	verdict := testCase{Name: "verdict", Class: s.Name, Output: format.Verdict(l.Verdict)}
	var reason string
	if l.Verdict == results.Invalid {
		for _, id := range l.Cells {
			reason = cmp.Or(reason, problems[id])
		}
		verdict.Error = &fault{"INVALID: " + reason, "INVALID"}
	}
	s.add(verdict)
	for _, o := range outcomes {
		c := testCase{Name: o.Objective.String(), Class: s.Name, Output: o.Text}
		if o.Objective == plan.NothingLost() {
			c.Name = "audit"
		}
		switch {
		case o.Outcome == results.Passed:
		case o.Outcome == results.Missed:
			c.Failure = &fault{o.Text, "missed"}
		case l.Verdict == results.Invalid:
			c.Error = &fault{o.Text, "INVALID"}
		default:
			c.Skipped = &fault{Message: "not decided: " + o.Text}
		}
		s.add(c)
	}
	return s
}

// properties are the numbers, with their marks.
func (l loaded) properties() (list []property) {
	for _, n := range l.Response {
		text := format.Millis(n.NS)
		if note := mark(n); note != "" {
			text += " (" + note + ")"
		}
		list = append(list, property{words.Percentile(n.Percentile) + "_ms", text})
	}
	return append(list, property{"messages", format.Ledger(l.Ledger)}, property{"verdict", string(l.Verdict)})
}

// gates has a suite for each comparison, with a case for each gate of each pair.
func gates(list []*compare.Comparison) suites {
	all := suites{Name: "brokerbench compare"}
	for _, c := range list {
		s := &suite{Name: c.Base.Dir + " → " + c.New.Dir}
		for _, o := range c.FailOn {
			for _, g := range o.Gates {
				s.add(gate(o, g))
			}
		}
		all.Suites = append(all.Suites, s)
	}
	return all
}

// gate returns the case of a gate.
func gate(o compare.Outcome, g compare.Gate) testCase {
	c := testCase{Name: o.Condition, Class: g.Title, Output: comparison.Gate(o, g)}
	switch g.Result {
	case compare.Failed:
		c.Failure = &fault{c.Output, "failed"}
	case compare.NotDecided:
		c.Skipped = &fault{Message: "not decided: " + c.Output}
	case compare.Passed:
	}
	return c
}
