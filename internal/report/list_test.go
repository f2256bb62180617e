package report_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

func TestList(t *testing.T) {
	began := time.Date(2026, 11, 22, 8, 40, 59, 0, time.FixedZone("", 3600))
	listed := func(name string, finished time.Time, targets []string, verdicts ...results.Verdict) results.Listed {
		run := results.Run{Name: name, Started: began, Finished: finished}
		for _, target := range targets {
			run.Plan.Targets = append(run.Plan.Targets, plan.Target{Name: target})
		}
		for _, v := range verdicts {
			run.Cells = append(run.Cells, results.Entry{Verdict: v})
		}
		return results.Listed{Dir: "out/20261122-084059-" + name, Run: run}
	}
	runs := []results.Listed{
		listed("quick", began, []string{"nats", "redis", "rabbitmq", "kafka"}, results.Valid, results.Suspect, results.Valid, results.Invalid),
		listed("running", time.Time{}, []string{"nats"}, results.Valid, ""),
		listed("alone", began, []string{"kafka"}, results.Valid),
		{Dir: "out/broken", Err: errors.New("out/broken/run.json: unexpected end of JSON input")},
	}
	d := report.List("out", runs)
	wantGolden(t, "list", d)
	for line := range strings.Lines(written(t, d, document.Text)) {
		if n := len([]rune(line)); n > 81 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	wantTexts := func(text string, wants ...string) {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	wantTexts(written(t, d, document.JSON), `"not_measured": 1`, `"finished": false`, `"dir": "out/20261122-084059-quick"`, `"error": "out/broken/run.json`)
	empty := report.List("out", nil)
	wantTexts(written(t, empty, document.Text), "out holds no run (brokerbench run makes one)")
	wantTexts(written(t, empty, document.JSON), "[]")
}
