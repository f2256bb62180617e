package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// dashboard is what is looked at of a Grafana dashboard.
type dashboard struct {
	UID    string
	Panels []struct {
		ID      int
		Title   string
		Type    string
		Targets []struct{ Expr, LegendFormat, Format string }
	}
	Templating struct {
		List []struct{ Name, Definition string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/grafana/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// exposed returns the metrics and labels that a scrape yields.
func exposed(t *testing.T) (metrics, labels []string) {
	t.Helper()
	s := serve(t)
	s.Progress(progress("nats", time.Millisecond))
	families := scrape(t, s)
	for _, l := range families["brokerbench_response_seconds"].GetMetric()[0].GetLabel() {
		labels = append(labels, l.GetName())
	}
	return slices.Sorted(maps.Keys(families)), labels
}

var (
	metricName = regexp.MustCompile(`brokerbench_\w+`)
	// labelUse finds labels: of a matcher, of a grouping, of a legend.
	labelUse = regexp.MustCompile(`(\w+)\s*(?:=~|=|!=)\s*"|by \(([^)]*)\)|\{\{(\w+)\}\}`)
)

// The dashboard asks for all that is exposed, and for nothing else.
func TestTheDashboardAsksForWhatIsExposed(t *testing.T) {
	metrics, labels := exposed(t)
	asked := make(map[string]bool)
	d := readDashboard(t)
	for _, p := range d.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			names := metricName.FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("panel %q: %s names no metric of ours", p.Title, target.Expr)
			}
			for _, name := range names {
				asked[name] = true
			}
			for _, use := range labelUse.FindAllStringSubmatch(target.Expr+target.LegendFormat, -1) {
				for _, label := range strings.FieldsFunc(use[1]+use[2]+use[3], func(r rune) bool { return r == ',' || r == ' ' }) {
					if !slices.Contains(labels, label) {
						t.Errorf("panel %q uses the label %q, which is not exposed: %v", p.Title, label, labels)
					}
				}
			}
		}
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, metrics) {
		t.Errorf("the dashboard asks for %v, exposed are %v", got, metrics)
	}
	for _, v := range d.Templating.List {
		for _, name := range metricName.FindAllString(v.Definition, -1) {
			if !slices.Contains(metrics, name) {
				t.Errorf("variable %q: %s is not exposed", v.Name, name)
			}
		}
	}
}

func TestTheDashboardHasWhatIsPromised(t *testing.T) {
	want := map[string]string{ // a part of a query: the type of its panel
		"sum(rate(brokerbench_response_seconds":   "heatmap",
		"histogram_quantile(0.99, sum by (target": "timeseries",
		"brokerbench_rate_ops_per_second":         "timeseries",
		"brokerbench_lag_p99_seconds":             "timeseries",
		"brokerbench_hiccup_max_seconds":          "timeseries",
		"brokerbench_response_p50_seconds":        "timeseries",
	}
	ids := make(map[int]bool)
	d := readDashboard(t)
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have id %d", p.ID)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			for part, kind := range want {
				if strings.HasPrefix(target.Expr, part) && p.Type == kind && (kind != "heatmap" || target.Format == "heatmap") {
					delete(want, part)
				}
			}
		}
	}
	if len(want) > 0 || d.UID == "" {
		t.Errorf("no panel for %v; uid %q", want, d.UID)
	}
}

func TestTheReadmeListsEveryMetric(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/grafana/README.md")
	if err != nil {
		t.Fatal(err)
	}
	metrics, labels := exposed(t)
	for _, name := range slices.Concat(metrics, labels) {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("deploy/grafana/README.md does not mention %s", name)
		}
	}
}
