package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/live"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// progress writes to stderr how far a run or a search is, and why a cell is not
// valid. It is used from one goroutine at a time.
type progress struct {
	w       io.Writer
	quiet   bool
	reasons bool // why a cell is not valid is said here, because nothing else says it to people
	view    live.View
	every   time.Duration // how often the view is redrawn; 0 is once a second
	cells   []plan.Cell   // of the run; nil of a search, whose number of cells is unknown
	at      live.Position // the cell under way
	metrics func(measure.Progress)
}

// newProgress returns the progress of a run of cells, or of a search if they are nil: it
// prints a line for each probe, which a run does not. mode is the value of --progress. The
// reasons why a cell is not valid appear in the final output if its format is for people;
// otherwise, and for programs, they are printed here.
func newProgress(s command.Streams, mode string, cells []plan.Cell, format document.Format) *progress {
	people := format == document.Text || format == document.Markdown
	p := &progress{w: s.Err, quiet: mode == "off", reasons: !people || cells == nil || mode == "json", view: live.Discard{}, cells: cells, metrics: func(measure.Progress) {}}
	switch {
	case p.quiet:
	case mode == "json":
		p.view = live.JSON{W: live.Progress(s.Err)}
	case s.Screen != nil:
		p.view, p.every = live.Block{Screen: s.Screen}, live.Every
	case cells != nil:
		p.view = live.NewLines(live.Progress(s.Err))
	}
	return p
}

// begin announces the next cell.
func (p *progress) begin(cell plan.Cell, n, _ int) {
	if p.at = (live.Position{Cell: cell, N: n}); p.cells != nil {
		p.at = live.NewPosition(p.cells, n)
	}
	p.view.Begin(p.at.String(), cell.Settings.Warmup+cell.Settings.Duration)
}

// floor announces that a floor is measured.
func (p *progress) floor(cell plan.Cell) {
	p.view.Begin(fmt.Sprintf("floor of %v", cell.Shape), cell.FloorTook())
}

// report shows how far the cell is.
func (p *progress) report(now measure.Progress) {
	p.metrics(now)
	p.view.Show(p.at, now)
}

// fill shows how far the store is filled.
func (p *progress) fill(now measure.Filling) { p.view.Fill(p.at, now) }

// audit shows how far the audit of the cell is.
func (p *progress) audit(now measure.Auditing) { p.view.Audit(p.at, now) }

// finish reports the problems of a cell, with --quiet too: they are not progress.
func (p *progress) finish(_ plan.Cell, c *results.Cell, err error) {
	p.view.Clear()
	if c == nil {
		if err != nil && !p.quiet {
			p.of(live.Notice{Kind: live.Unmeasured, Text: "not measured"})
		}
		return
	}
	if !p.reasons {
		p.brief(c)
		return
	}
	for _, one := range sections.Of(c) {
		p.explain(one)
	}
}

// explain reports the problems of a cell, or of one of its sections.
func (p *progress) explain(c *results.Cell) {
	for _, s := range c.SLOs {
		if s.Outcome != results.Passed {
			p.of(live.Notice{Kind: live.SLO, Text: fmt.Sprintf("SLO %v %s: %s", s.Objective, s.Outcome, s.Text)})
		}
	}
	for _, problem := range c.Problems {
		n := live.Notice{Kind: live.Kind(problem.Severity), Code: problem.Code, Text: fmt.Sprintf("%s: %s", problem.Severity, problem.Text)}
		if problem.Severity == results.Valid {
			n.Kind, n.Text = live.Limited, "limited "+report.Limitation(problem)
			if p.quiet || report.Limitation(problem) == "" {
				continue
			}
		}
		p.of(n)
	}
}

// brief reports that a cell is not valid. The final output has the reasons.
func (p *progress) brief(c *results.Cell) {
	if p.quiet || c.Verdict == results.Valid {
		return
	}
	var codes []string
	for _, one := range sections.Of(c) {
		for _, problem := range one.Problems {
			if code := string(problem.Code); problem.Severity != results.Valid && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	p.of(live.Notice{Kind: live.Kind(c.Verdict), Text: fmt.Sprintf("%s (%s)", c.Verdict, strings.Join(codes, ", "))})
}

// unreached reports a target that is not measured.
func (p *progress) unreached(t plan.Target, err error) {
	p.cells = slices.Clone(p.cells)
	for i := range p.cells {
		if p.cells[i].Target == t {
			p.cells[i].Settings = plan.Settings{} // it takes no time
		}
	}
	if p.quiet { // the error is printed at the end
		return
	}
	text := fmt.Sprintf("%s cannot be reached, and is not measured: %s", t.Name, brokers.Redact(err.Error()))
	live.Say(p.w, live.Notice{Kind: live.Unmeasured, Target: t.Name, Text: text}, text)
}

// of says something of the cell under way.
func (p *progress) of(n live.Notice) {
	n.Cell = p.at.Cell.ID()
	live.Say(p.w, n, fmt.Sprintf("%v: %s", p.at, n.Text))
}

// announce says how long searches take, before the first begins.
func (p *progress) announce(cfg search.Config, searches int) {
	if p.quiet {
		return
	}
	fmt.Fprintf(p.w, "%s of at most %v: about %s find the way; to decide about a rate takes at least\n",
		searchCount(searches), cfg.AtMost, words.Plural(cfg.Probes(), "probe"))
	for _, o := range cfg.Objectives {
		least, note := cfg.Least(o, cfg.Max).Round(time.Second/10), ""
		if least > cfg.AtMost {
			note = ", which is more than --at-most: it will not be decided"
		}
		fmt.Fprintf(p.w, "  %v for %v%s\n", least, o, note)
	}
}

func searchCount(n int) string {
	if n == 1 {
		return "1 search"
	}
	return fmt.Sprintf("%d searches", n)
}

// probed reports the answers of a probe.
func (p *progress) probed(objectives []plan.Objective, probe search.Probe) {
	p.view.Clear()
	if p.quiet {
		return
	}
	kind := ""
	if probe.Confirm {
		kind = " to decide"
	}
	if probe.Rest > 0 {
		kind += fmt.Sprintf(", after a rest of %v", probe.Rest)
	}
	texts := make([]string, len(probe.Answers))
	for i, a := range probe.Answers {
		texts[i] = fmt.Sprintf("%v %s, %s", objectives[i], a.Answer, a.Measured)
		if a.Reason != "" && (i == 0 || a.Reason != probe.Answers[i-1].Reason) {
			texts[i] += " (" + a.Reason + ")"
		}
	}
	fmt.Fprintf(p.w, "[%d] %s for %v%s: %s\n", p.at.N, p.at.Cell.Title(), probe.Window, kind, strings.Join(texts, "; "))
}
