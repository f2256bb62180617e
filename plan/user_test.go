package plan_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

func TestUsersAreRead(t *testing.T) {
	for text, want := range map[string]plan.User{
		"50": {Messages: 50}, " 50 in  sequence ": {Messages: 50}, "200in parallel": {Messages: 200, Parallel: true}, "1000000 in parallel": {1_000_000, true},
		"": {}, "0": {}, "-1": {}, "0 in sequence": {}, "x in sequence": {}, "50 in turn": {}, "50 in parallel sequence": {}, "1000001": {}, "99999999999999999999": {}, "1.5": {},
	} {
		got, err := plan.ParseUser(text)
		if got != want || (err == nil) != (want != plan.User{}) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
		if again, err := plan.ParseUser(want.String()); want != (plan.User{}) && (again != want || err != nil) {
			t.Errorf("%q is read as %v, %v", want, again, err)
		}
	}
}

func TestObjectivesOfUsers(t *testing.T) {
	for text, want := range map[string]string{
		"user(50).p99<100ms": "user(50).p99<100ms", "user(50 in sequence).p99<100ms": "user(50).p99<100ms", "user( 8 ).sum.max <= 1 s": "user(8).sum.max<=1s",
		"user(200 in parallel).p50<1ms": "user(200 in parallel).p50<1ms", "user(200in parallel).max<1ms": "user(200 in parallel).max<1ms",
		"user(0).p99<1ms": "", "user().p99<1ms": "", "user(50).p98<1ms": "", "user(50)<1ms": "", "user(50).loss<1%": "", "user(8 in parallel).sum.p99<1ms": "", "user(8).total.p99<1ms": "",
	} {
		o, err := plan.ParseObjective(text)
		if got := o.String(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
		if u, sum, ok := plan.UserOf(o.Series); err == nil && (!ok || u.Series(sum) != o.Series) {
			t.Errorf("%q: series %q is of %v, %v, %v", text, o.Series, u, sum, ok)
		}
	}
	if _, _, ok := plan.UserOf("response"); ok {
		t.Error("response is a series of users")
	}
}

func TestUsersOfACell(t *testing.T) {
	limit, err := plan.ParseObjective("user(50).p99<100ms")
	if err != nil {
		t.Fatal(err)
	}
	c := plan.Cell{Settings: plan.Settings{Users: []plan.User{{Messages: 8}, {Messages: 8, Parallel: true}, {Messages: 8}}}, SLOs: []plan.Objective{{Series: "response"}, limit, limit}}
	got := c.Users()
	if len(got) != 3 || got[0] != (plan.User{Messages: 8}) || got[1] != (plan.User{Messages: 8, Parallel: true}) || got[2] != (plan.User{Messages: 50}) {
		t.Errorf("%v", got)
	}
}

func TestUsersThatAWindowDoesNotHave(t *testing.T) {
	for name, tt := range map[string]struct {
		user   string
		change func(p *plan.Plan)
		ok     bool
	}{
		"as many as a connection has":     {"500", func(*plan.Plan) {}, true},
		"more":                            {"501", func(*plan.Plan) {}, false},
		"in parallel over connections":    {"1000 in parallel", func(*plan.Plan) {}, true},
		"more in parallel":                {"1001 in parallel", func(*plan.Plan) {}, false},
		"of an objective":                 {"8", func(p *plan.Plan) { p.SLOs = []plan.SLO{{Objective: plan.Objective{Series: "user(501)"}}} }, false},
		"random, in sequence":             {"8", func(p *plan.Plan) { p.Shapes[0].Arrivals = "poisson" }, true},
		"random, in parallel":             {"8 in parallel", func(p *plan.Plan) { p.Shapes[0].Arrivals = "poisson" }, false},
		"random on one connection":        {"8 in parallel", func(p *plan.Plan) { p.Shapes[0].Arrivals, p.Shapes[0].Connections = "poisson", 1 }, true},
		"bursts":                          {"8 in parallel", func(p *plan.Plan) { p.Shapes[0].Arrivals = "burst:8" }, true},
		"a rate that changes":             {"8", func(p *plan.Plan) { p.Shapes[0].Changes = "ramp(100..200, 10s)" }, false},
		"more kinds than have histograms": {"8", func(p *plan.Plan) { addUsers(p, plan.MostUsers) }, false},
		"as many kinds as have":           {"8", func(p *plan.Plan) { addUsers(p, plan.MostUsers-1) }, true},
	} {
		p := plan.Plan{
			Targets: []plan.Target{{Name: "a", URL: "a:"}}, Settings: plan.Settings{Duration: 10 * time.Second, Timeout: time.Second},
			Shapes: []plan.Shape{{Rate: 100, Size: 64, Connections: 2}},
		}
		u, err := plan.ParseUser(tt.user)
		if err != nil {
			t.Fatal(err)
		}
		p.Settings.Users = []plan.User{u}
		tt.change(&p)
		if err := p.Validate(); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// addUsers adds so many kinds of users to a plan.
func addUsers(p *plan.Plan, n int) {
	for i := range n {
		p.Settings.Users = append(p.Settings.Users, plan.User{Messages: 10 + i})
	}
}
