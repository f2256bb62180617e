package claims_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const head = `claims:
  - id: "1"
    sentence: Redis is faster.
    plan: plan.yaml
    evidence: [run]
`

func TestParse(t *testing.T) {
	const good = head + "    rank: {percentile: 99, order: [redis, nats ≈ kafka]}\n"
	list, err := claims.Parse("claims.yaml", []byte(good))
	if err != nil || len(list) != 1 || len(list[0].Targets()) != 3 {
		t.Fatalf("got %v, %v", list, err)
	}
	for name, c := range map[string]struct{ text, where string }{
		"no kind":        {head, "claims.yaml:2:5"},
		"two kinds":      {good + "    lost: {target: redis}\n", "claims.yaml:2:5"},
		"unknown key":    {good + "    prize: 1\n", "claims.yaml:7:5"},
		"outside":        {strings.Replace(good, "[run]", "[../run]", 1), "claims.yaml:2:5"},
		"twice":          {good + strings.TrimPrefix(good, "claims:\n"), "claims.yaml:7:5"},
		"percentile 101": {strings.Replace(good, "99", "101", 1), "claims.yaml:2:5"},
		"no claims":      {"claims: []\n", "claims.yaml:1:1"},
		"low above high": {head + "    ratio: {percentile: 50, of: a, to: b, low: 2, high: 1}\n", "claims.yaml:2:5"},
		"floor first":    {head + "    ratio: {percentile: 50, of: floor, to: b, low: 1}\n", "claims.yaml:2:5"},
	} {
		_, err := claims.Parse("claims.yaml", []byte(c.text))
		var mistakes config.Mistakes
		if !errors.As(err, &mistakes) || mistakes[0].Where != c.where {
			t.Errorf("%s: got %v, want a mistake at %s", name, err, c.where)
		}
	}
}

// TestJSON reads judged claims of each kind as they are written.
func TestJSON(t *testing.T) {
	full := claims.Sides{Of: claims.Side{Target: "b", Shape: "x", Series: "ack", Percentile: 99}, To: claims.Side{Target: claims.Floor}, High: 2}
	for _, c := range []claims.Claim{
		order("a", "b"), ratio("a", 1.7, 2.4),
		{Ratio: &claims.Ratio{Sides: full}},
		rate(1, 0), cost(slo(), claims.Both, 1, 2),
		{Lost: &claims.Lost{Target: "a"}},
		{Outage: &claims.Outage{Target: "a", BelowS: 2}},
	} {
		want := claims.Judged{Claim: c, Outcome: claims.Reproduced}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got claims.Judged
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
}

func TestSelect(t *testing.T) {
	list := []claims.Claim{{ID: "1"}, {ID: "4"}}
	if got, err := claims.Select(list, []string{"4"}); err != nil || len(got) != 1 || got[0].ID != "4" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := claims.Select(list, []string{"2"}); err == nil {
		t.Error("claim 2 is not there, and was selected")
	}
}

// trials returns repeats of targets: each takes its scale in ms, times noise of 5 %.
func trials(rng *rand.Rand, repeats int, scales map[string]float64) (list []compare.Trial) {
	for repeat := range repeats {
		for _, name := range slices.Sorted(maps.Keys(scales)) {
			ns := int64(scales[name] * math.Exp(0.05*rng.NormFloat64()) * 1e6)
			list = append(list, trial(name, repeat+1, ns))
		}
	}
	return list
}

func trial(name string, repeat int, ns int64) compare.Trial {
	floor := int64(1e5)
	c := &results.Cell{
		Plan:    plan.Cell{Target: plan.Target{Name: name}, Shape: plan.Shape{Rate: 1000, Size: 100, Connections: 1}, Repeat: repeat},
		Verdict: results.Valid, Audit: &results.Audit{Acked: 10, Kept: 10},
		Floor: &results.Floor{},
	}
	c.Response.Percentiles = []results.Percentile{{Percentile: 99, ValueNS: &ns, SamplesAbove: 100, Trusted: true}}
	c.Floor.Echo.Response.Percentiles = []results.Percentile{{Percentile: 99, ValueNS: &floor}}
	return compare.Trial{Dir: "run", Cell: c}
}

func outage(seconds float64) func(*results.Cell) {
	return func(c *results.Cell) {
		first := int64(1)
		c.Faults = []results.Fault{{Impact: &results.Impact{Deliveries: &results.Outage{Shown: true, ForNS: int64(seconds * 1e9), FirstNS: &first}}}}
	}
}

func limited(target string, by results.Code) func(*results.Cell) {
	return func(c *results.Cell) {
		if c.Plan.Target.Name == target {
			c.Response.Percentiles[0].LimitedBy = []results.Code{by}
		}
	}
}

// others gives a cell further series, with the values of the response.
func others(c *results.Cell) {
	row := c.Response.Percentiles[0]
	row.LimitedBy = nil
	c.Service.Percentiles, c.Held.Percentiles = []results.Percentile{row}, []results.Percentile{row}
}

func orderOf(series string, names ...string) claims.Claim {
	c := order(names...)
	c.Rank.Series = series
	return c
}

func order(names ...string) claims.Claim {
	return claims.Claim{ID: "1", Rank: &claims.Rank{Percentile: 99, Order: names, Within: 1.3}}
}

func sides(of, to string, low, high float64) claims.Sides {
	return claims.Sides{Of: claims.Side{Target: of}, To: claims.Side{Target: to}, Low: low, High: high}
}

// runOf returns what claims are judged by: one run with some trials.
func runOf(list []compare.Trial) func(claims.Claim) []*claims.Run {
	runs := []*claims.Run{{Set: &compare.Set{Trials: list}}}
	return func(claims.Claim) []*claims.Run { return runs }
}

func ratio(to string, low, high float64) claims.Claim {
	return claims.Claim{ID: "1", Ratio: &claims.Ratio{Percentile: 99, Sides: sides("b", to, low, high)}}
}

func TestJudge(t *testing.T) {
	world := map[string]float64{"a": 1, "b": 2, "c": 2}
	for name, c := range map[string]struct {
		claim   claims.Claim
		repeats int
		change  func(*results.Cell)
		want    claims.Outcome
	}{
		"order":              {claim: order("a", "b ≈ c"), want: claims.Reproduced},
		"swapped":            {claim: order("b", "a"), want: claims.Contradicted},
		"equals that do not": {claim: order("a ≈ b"), want: claims.Contradicted},
		"one repeat":         {claim: order("b", "a"), repeats: 1, want: claims.NotDecided},
		"two repeats":        {claim: order("b", "a"), repeats: 2, want: claims.NotDecided},
		"not measured":       {claim: order("a", "d"), want: claims.NotDecided},
		"ratio":              {claim: ratio("a", 1.7, 2.4), want: claims.Reproduced},
		"ratio too low":      {claim: ratio("a", 1, 1.2), want: claims.Contradicted},
		"ratio at a bound":   {claim: ratio("a", 2, 0), want: claims.NotDecided},
		"floor":              {claim: ratio(claims.Floor, 17, 24), want: claims.Reproduced},
		"not the floor":      {claim: ratio(claims.Floor, 1, 3), want: claims.Contradicted},
		"nothing lost":       {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, want: claims.Reproduced},
		"lost":               {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) { c.Audit.Missing = 1 }, want: claims.Contradicted},
		"no audit":           {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) { c.Audit = nil }, want: claims.NotDecided},
		"short outage":       {claim: claims.Claim{Outage: &claims.Outage{Target: "a", BelowS: 2}}, change: outage(1), want: claims.Reproduced},
		"long outage":        {claim: claims.Claim{Outage: &claims.Outage{Target: "a", BelowS: 2}}, change: outage(3), want: claims.Contradicted},
		"no fault":           {claim: claims.Claim{Outage: &claims.Outage{Target: "a", BelowS: 2}}, want: claims.NotDecided},
		"invalid":            {claim: order("b", "a"), change: func(c *results.Cell) { c.Verdict = results.Invalid }, want: claims.NotDecided},
		"invalid and lost": {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) {
			c.Verdict, c.Audit.Missing = results.Invalid, 1
		}, want: claims.Contradicted},
		"interrupted and lost": {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) {
			c.Interrupted, c.Audit.Missing = true, 1
		}, want: claims.Contradicted},
		"fate unknown": {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) {
			c.Audit.Missing, c.Audit.Error = 1, "unread"
		}, want: claims.NotDecided},
		"fault not made": {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) {
			c.Faults = []results.Fault{{}}
		}, want: claims.NotDecided},
		"fault made": {claim: claims.Claim{Lost: &claims.Lost{Target: "a"}}, change: func(c *results.Cell) {
			c.Faults = []results.Fault{{BrokenNS: 1}}
		}, want: claims.Reproduced},
		"one interrupted": {claim: order("a", "b"), change: func(c *results.Cell) {
			if c.Interrupted = c.Plan.Repeat == 8; c.Interrupted {
				c.Verdict = results.Invalid
			}
		}, want: claims.Reproduced},
		"all interrupted": {claim: order("a", "b"), change: func(c *results.Cell) { c.Interrupted = true }, want: claims.NotDecided},
		"too few messages": {claim: order("a", "b"), change: func(c *results.Cell) {
			if c.Plan.Target.Name == "b" {
				c.Response.Percentiles[0].SamplesAbove = 9
			}
		}, want: claims.NotDecided},
		"this machine": {claim: order("a", "b"), change: limited("a", results.CodeHiccups), want: claims.NotDecided},
		"the echo":     {claim: ratio(claims.Floor, 17, 24), change: limited("b", results.CodeEcho), want: claims.NotDecided},
		"held":         {claim: orderOf("held", "a", "b"), change: others, want: claims.Reproduced},
		"held, this machine": {claim: orderOf("held", "a", "b"), change: func(c *results.Cell) {
			others(c)
			limited("a", results.CodeHiccups)(c)
		}, want: claims.NotDecided},
		"service, whose response is limited": {claim: orderOf("service", "a", "b"), change: func(c *results.Cell) {
			others(c)
			limited("a", results.CodeHiccups)(c)
		}, want: claims.Reproduced},
		"the faults":    {claim: order("a", "b"), change: limited("a", results.CodeFaults), want: claims.Reproduced},
		"another shape": {claim: claims.Claim{Shape: "x", Lost: &claims.Lost{Target: "a"}}, want: claims.NotDecided},
	} {
		if c.repeats == 0 {
			c.repeats = 8
		}
		list := trials(rand.New(rand.NewPCG(1, 1)), c.repeats, world)
		for _, one := range list {
			if c.change != nil {
				c.change(one.Cell)
			}
		}
		got := claims.Judge([]claims.Claim{c.claim}, runOf(list))
		if got[0].Outcome != c.want || got[0].Outcome != claims.Reproduced && got[0].Why() == "" {
			t.Errorf("%s: %s (%s), want %s", name, got[0].Outcome, got[0].Why(), c.want)
		}
	}
}

// TestLeastRepeats judges a claim that three repeats decide alone, and beside another one.
func TestLeastRepeats(t *testing.T) {
	list := trials(rand.New(rand.NewPCG(1, 1)), 3, map[string]float64{"a": 1, "b": 20})
	data := runOf(list)
	if got := claims.Judge([]claims.Claim{order("a", "b")}, data); got[0].Outcome != claims.Reproduced {
		t.Errorf("alone: %s (%s)", got[0].Outcome, got[0].Why())
	}
	for _, got := range claims.Judge([]claims.Claim{order("a", "b"), ratio("a", 2, 0)}, data) {
		if got.Outcome != claims.NotDecided || got.Decides != 4 {
			t.Errorf("two statements: %s, decided by %d repeats", got.Outcome, got.Decides)
		}
	}
}

func TestSupported(t *testing.T) {
	list := trials(rand.New(rand.NewPCG(1, 1)), 8, map[string]float64{"a": 1, "b": 2})
	data := runOf(list)
	if err := claims.Supported([]claims.Claim{order("a", "b")}, data); err != nil {
		t.Error(err)
	}
	if claims.Supported([]claims.Claim{order("b", "a")}, data) == nil {
		t.Error("the swapped order is supported")
	}
	list[0].Cell.Audit.Kept--
	if claims.Supported([]claims.Claim{order("a", "b")}, data) == nil {
		t.Error("a loss is hidden")
	}
}
