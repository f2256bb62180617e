package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Objective is a limit that a result should keep (a service-level objective):
// a metric, a comparison and a limit, such as "p99.9<5ms". [ParseObjective] makes
// one; the zero value is none.
type Objective struct {
	Series     string  // "response", "service", "ack", "complete", "lag", "held" or that of a [User]; "" with a Metric
	Percentile float64 // of the series; 100 is the maximum
	Metric     string  // "loss", "rate", "lost-acked", "outage" or "recovery"; "" for a percentile
	Operator   string  // <, <=, > or >=; == of lost-acked
	Limit      float64 // nanoseconds (of a percentile, outage and recovery), a share (1 is 100 %), or messages per second
	PerSecond  bool    // whether the limit of a rate is in messages per second, not a share of the rate due
}

// maxLimit is the largest value that a histogram keeps.
const maxLimit = time.Hour

// objectiveParts are metric, operator and limit; k6 writes p(99.9).
var objectiveParts = regexp.MustCompile(`^(?:(response|service|ack|complete|lag|held|user\([^()]*\)(?:\.sum)?)\.)?(p\(?([0-9.]+)\)?|max|loss|rate|outage|recovery) *(<=|>=|<|>) *(.+)$`)

// beforeUnit finds the spaces between a number and its unit.
var beforeUnit = regexp.MustCompile(`([0-9]) +([a-zµμ%/])`)

// plainer replaces symbols and spaces that people and word processors write by those of
// objectives.
var plainer = strings.NewReplacer("≤", "<=", "≥", ">=", "\u00a0", " ", "\u202f", " ", "\t", " ")

// ParseObjective reads an objective, in the manner of k6's thresholds:
//
//	p99.9<5ms, max<=1s           of the response time; p(99.9) is the same
//	p99 < 5 ms, max ≤ 1 s        the same as p99<5ms and max<=1s
//	service.p99<5ms, lag.p99<1ms of another series: service, ack, complete, lag or held
//	user(50).p99<100ms           of the longest of the 50 messages that a user needs in sequence; also
//	                             user(50 in parallel), and user(8).sum for the sum of the times of 8
//	loss<0.001%                  the share of the messages due that are not done
//	rate>99%, rate>=3000/s       the rate reached, as a share of the rate due or per second
//	lost-acked==0                no message that was acknowledged is lost
//	outage<10s, recovery<30s     no reply came for that long after a fault; p99 was back after that long
func ParseObjective(text string) (Objective, error) {
	text = strings.TrimSpace(text)
	if NothingLost().is(text) {
		return NothingLost(), nil
	}
	if strings.HasPrefix(text, "lost-acked") {
		return Objective{}, fmt.Errorf("SLO %q: want %v", text, NothingLost())
	}
	parts := objectiveParts.FindStringSubmatch(beforeUnit.ReplaceAllString(plainer.Replace(text), "$1$2"))
	if parts == nil {
		return Objective{}, fmt.Errorf("SLO %q: want a metric, < or >, and a limit, such as p99.9<5ms, max<1s, loss<0.001%% or rate>99%%", text)
	}
	o := Objective{Series: parts[1], Operator: parts[4]}
	if err := o.plainUser(); err != nil {
		return Objective{}, fmt.Errorf("SLO %q: %w", text, err)
	}
	switch metric := parts[2]; metric {
	case "loss", "rate", "outage", "recovery":
		o.Metric = metric
	case "max":
		o.Percentile = 100
	default:
		var err error
		o.Percentile, err = strconv.ParseFloat(parts[3], 64)
		if err != nil || !slices.Contains(KnownPercentiles(), o.Percentile) {
			return Objective{}, fmt.Errorf("SLO %q: want a percentile of %v, or max", text, KnownPercentiles())
		}
	}
	if err := o.parseLimit(parts[5]); err != nil {
		return Objective{}, fmt.Errorf("SLO %q: %w", text, err)
	}
	return o, nil
}

// plainUser writes the series of a user as [User.Series] does.
func (o *Objective) plainUser() error {
	inside, isUser := strings.CutPrefix(o.Series, "user(")
	if !isUser {
		return nil
	}
	inside, sum := strings.CutSuffix(inside, sumOfUser)
	u, err := ParseUser(strings.TrimSuffix(inside, ")"))
	if err == nil && u.Parallel && sum {
		err = fmt.Errorf("messages in parallel are awaited together and have no sum: leave out %q", sumOfUser)
	}
	o.Series = u.Series(sum)
	return err
}

// NothingLost returns the objective that no acknowledged message is lost.
func NothingLost() Objective { return Objective{Metric: "lost-acked", Operator: "=="} }

// OfFaults reports whether the objective limits the impact of faults: only a cell with faults
// can satisfy it.
func (o Objective) OfFaults() bool { return o.Metric == "outage" || o.Metric == "recovery" }

// is reports whether a text means the objective, with or without spaces.
func (o Objective) is(text string) bool { return strings.ReplaceAll(text, " ", "") == o.String() }

// parseLimit reads the limit of the objective's metric.
func (o *Objective) parseLimit(text string) error {
	switch {
	case o.Metric != "" && o.Series != "":
		return fmt.Errorf("%s belongs to no series: leave out %q", o.Metric, o.Series+".")
	case o.OfFaults() && o.Operator != "<" && o.Operator != "<=":
		return fmt.Errorf("%s has an upper limit: want <", o.Metric)
	case o.Metric == "loss" || o.Metric == "rate":
		return o.parseShare(text)
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit < 0 || limit > maxLimit {
		return fmt.Errorf("limit %q: want a time with its unit, such as 5ms, up to %v", text, maxLimit)
	}
	o.Limit = float64(limit)
	if o.Metric == "" && o.Series == "" {
		o.Series = "response"
	}
	return nil
}

// parseShare reads the limit of loss or rate.
func (o *Objective) parseShare(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	if !percent {
		number, o.PerSecond = strings.CutSuffix(text, "/s")
	}
	limit, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || !(limit >= 0) || limit > 1e12 || o.PerSecond && o.Metric == "loss" || !percent && !o.PerSecond:
		want := "a percentage, such as 0.001%"
		if o.Metric == "rate" {
			want += ", or messages per second, such as 3000/s"
		}
		return fmt.Errorf("limit %q: want %s", text, want)
	case percent:
		limit /= 100
	}
	o.Limit = limit
	return nil
}

// String writes what ParseObjective reads.
func (o Objective) String() string {
	switch {
	case o == Objective{}:
		return ""
	case o.Metric == "lost-acked":
		return "lost-acked==0"
	case o.PerSecond:
		return o.Metric + o.Operator + decimal(o.Limit) + "/s"
	case o.OfFaults():
		return o.Metric + o.Operator + time.Duration(o.Limit).String()
	case o.Metric != "":
		return o.Metric + o.Operator + decimal(o.Limit*100) + "%"
	}
	name := "p" + decimal(o.Percentile)
	if o.Percentile == 100 {
		name = "max"
	}
	if o.Series != "response" {
		name = o.Series + "." + name
	}
	return name + o.Operator + time.Duration(o.Limit).String()
}

// decimal writes a number to 12 digits: multiplying by 100 makes up the others.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// Holds reports whether a value, in the unit of Limit, satisfies the objective.
func (o Objective) Holds(value float64) bool {
	switch o.Operator {
	case "<":
		return value < o.Limit
	case "<=":
		return value <= o.Limit
	case ">":
		return value > o.Limit
	case "==":
		return value == o.Limit //nolint:floateqcheck // a count
	}
	return value >= o.Limit
}

// MarshalText implements encoding.TextMarshaler.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with ParseObjective.
func (o *Objective) UnmarshalText(text []byte) (err error) {
	*o, err = ParseObjective(string(text))
	return err
}

// An SLO is an objective and the cells that it applies to.
type SLO struct {
	Target    string    `json:"target,omitempty"` // its name; "" is every target
	Shape     *Shape    `json:"shape,omitempty"`  // nil is every shape
	Objective Objective `json:"objective"`
}

// objectives returns the objectives that apply to a cell, each once.
func (p Plan) objectives(target string, shape Shape) (list []Objective) {
	for _, s := range p.SLOs {
		if (s.Target == "" || s.Target == target) && (s.Shape == nil || *s.Shape == shape) && !slices.Contains(list, s.Objective) {
			list = append(list, s.Objective)
		}
	}
	return list
}
