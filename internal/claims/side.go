package claims

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/plan"
)

// Floor is the name of the floor of a target in a Ratio: the same shape without a broker.
const Floor = "floor"

// A Side is one of the two things that a ratio compares. In YAML and JSON it is a mapping, or the name of
// its target alone.
type Side struct {
	Target     string  `yaml:"target" json:"target"`
	Shape      string  `yaml:"shape,omitempty" json:"shape,omitempty"`           // "": that of the claim
	Series     string  `yaml:"series,omitempty" json:"series,omitempty"`         // one of [Series], of a Ratio; "": response
	Percentile float64 `yaml:"percentile,omitempty" json:"percentile,omitempty"` // of a Ratio; 0: that of the ratio
}

// Sides are two things, of which Of is between Low and High times as much as To.
type Sides struct {
	Of   Side    `yaml:"of" json:"of"`
	To   Side    `yaml:"to" json:"to"`
	Low  float64 `yaml:"low" json:"low"`   // 0: no lower bound
	High float64 `yaml:"high" json:"high"` // 0: no upper bound
}

// A Ratio claims how many times as long Of takes as To, a target or [Floor].
type Ratio struct {
	Percentile float64 `yaml:"percentile" json:"percentile"`
	Sides      `yaml:",inline"`
}

// A Rate claims how many times as high the highest rate that keeps an SLO is for Of as for To.
// Its plan is searched.
type Rate struct {
	SLO   plan.Objective `yaml:"slo" json:"slo"`
	Sides `yaml:",inline"`
}

// A Cost claims how many times as much CPU time a message takes for Of as for To.
type Cost struct {
	CPU CPU `yaml:"cpu,omitempty" json:"cpu,omitempty"` // whose time; "": that of the nodes
	// SLO is the objective whose highest rate the cost is of: the plan is searched. Zero: the rate is that of the shape.
	SLO   plan.Objective `yaml:"slo,omitempty" json:"slo,omitzero"`
	Sides `yaml:",inline"`
}

// A CPU says which processes' CPU time a cost is.
type CPU string

// The processes of a cost.
const (
	Nodes  CPU = "nodes"  // of the target
	Client CPU = "client" // brokerbench
	Both   CPU = "both"
)

// Series returns the names of the series that a side can have.
func Series() []string {
	return []string{"response", "service", "corrected", "ack", "complete", "published", "first", "each", "lag", "held", "outward", "back"}
}

// UnmarshalYAML reads a side. It refuses unknown keys.
func (s *Side) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Load(&s.Target)
	}
	type mapping Side
	return node.Load((*mapping)(s), yaml.WithKnownFields())
}

// MarshalJSON writes the name alone of a side without more.
func (s Side) MarshalJSON() ([]byte, error) {
	if s == (Side{Target: s.Target}) {
		return json.Marshal(s.Target)
	}
	type mapping Side
	return json.Marshal(mapping(s))
}

// UnmarshalJSON reads what [Side.MarshalJSON] writes.
func (s *Side) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		*s = Side{}
		return json.Unmarshal(text, &s.Target)
	}
	type mapping Side
	return json.Unmarshal(text, (*mapping)(s))
}

// String returns the target and what else the side names.
func (s Side) String() string {
	var more []string
	for _, text := range []string{s.Series, s.Shape} {
		if text != "" {
			more = append(more, text)
		}
	}
	if s.Percentile > 0 {
		more = append(more, "p"+strconv.FormatFloat(s.Percentile, 'f', -1, 64))
	}
	if len(more) == 0 {
		return s.Target
	}
	return s.Target + " (" + strings.Join(more, ", ") + ")"
}
