package management

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Policy changes queues from outside, whatever they were declared with.
type Policy struct {
	Name       string         `json:"name"`
	Pattern    string         `json:"pattern"`  // of the names of queues
	ApplyTo    string         `json:"apply-to"` // all, exchanges, queues, classic_queues, quorum_queues or streams
	Priority   int            `json:"priority"` // of those that match, only the highest counts
	Definition map[string]any `json:"definition"`
}

// A Queue is what policies are asked about.
type Queue struct {
	Name     string
	Type     string        // classic, quorum or stream
	Overflow string        // what the queue itself does when it is full; "": it does not say
	Expires  time.Duration // after which it goes itself, unused; 0: never
}

// policies returns the policies in force for a queue: one of the users, and one of the
// operators, which is merged with it.
func (a API) policies(ctx context.Context, q Queue) (inForce []Policy, err error) {
	for _, kind := range []string{"policies", "operator-policies"} {
		all, err := list[Policy](ctx, a, a.ofVhost(kind), "name,pattern,apply-to,priority,definition")
		if err != nil {
			return nil, err
		}
		top, err := highest(all, q)
		if err != nil {
			return nil, err
		}
		inForce = append(inForce, top...)
	}
	return inForce, nil
}

// highest returns those policies for a queue that have the highest priority: of several with
// the same one, it is not defined which counts.
func highest(all []Policy, q Queue) (found []Policy, err error) {
	for _, p := range all {
		pattern, err := regexp.Compile(p.Pattern)
		switch {
		case !p.concerns(q.Type):
		case err != nil:
			return nil, fmt.Errorf("the pattern %q of the policy %s cannot be read", p.Pattern, p.Name)
		case !pattern.MatchString(q.Name):
		case len(found) > 0 && p.Priority < found[0].Priority:
		case len(found) > 0 && p.Priority > found[0].Priority:
			found = []Policy{p}
		default:
			found = append(found, p)
		}
	}
	return found, nil
}

// concerns tells whether a policy is for queues of a type.
func (p Policy) concerns(queueType string) bool {
	ofType := queueType + "_queues"
	if queueType == "stream" {
		ofType = "streams"
	}
	return slices.Contains([]string{"all", "queues", ofType}, p.ApplyTo)
}

// drops returns which setting of the policy, such as "message-ttl 60000", makes the broker drop
// messages of a queue that it has confirmed; "" if none does. A queue's own overflow goes before
// the policy's, and of two times until it expires the shorter counts.
func (p Policy) drops(q Queue) string {
	says := func(name string) string { return name + " " + text(p.Definition[name]) }
	for _, name := range []string{"message-ttl", "max-age"} {
		if p.Definition[name] != nil {
			return says(name)
		}
	}
	if ms, ok := p.Definition["expires"].(float64); ok && (q.Expires == 0 || ms < float64(q.Expires.Milliseconds())) {
		return says("expires")
	}
	overflow := q.Overflow
	if overflow == "" {
		overflow, _ = p.Definition["overflow"].(string)
	}
	for _, name := range []string{"max-length", "max-length-bytes"} {
		if p.Definition[name] != nil && !strings.HasPrefix(overflow, "reject-publish") {
			return says(name) + ", beyond which the oldest are dropped"
		}
	}
	return ""
}

// text returns a value of JSON, numbers without exponents.
func text(value any) string {
	if n, ok := value.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// Limits returns the limits of a queue whose messages policies drop after they were confirmed:
// then nothing is promised. asked is the level that the target asks for; see PoliciesUnknown.
func (a API) Limits(ctx context.Context, q Queue, asked requester.Durability) (limits []target.Limit) {
	inForce, err := a.policies(ctx, q)
	if err != nil {
		return PoliciesUnknown(asked, err)
	}
	for _, p := range inForce {
		if drops := p.drops(q); drops != "" {
			limits = append(limits, target.Limit{
				Level: requester.None, Because: "the policy " + p.Name + " sets " + drops, Remedy: "have its pattern leave out " + q.Name,
			})
		}
	}
	return limits
}

// PoliciesUnknown returns the limit of queues of which it is not known, and why, what policies
// are in force. It counts where a level is asked for that needs the API: others are kept
// without it, as far as is known, and many brokers have none.
func PoliciesUnknown(asked requester.Durability, why error) []target.Limit {
	if !asked.AtLeast(requester.Machine) {
		return nil
	}
	return []target.Limit{{Level: requester.None, Because: "the policies for queues are not known: " + why.Error() + " (option management)", Unknown: true}}
}
