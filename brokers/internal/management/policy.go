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

// A policy changes queues, whatever they were declared with.
type policy struct {
	Name       string         `json:"name"`
	Pattern    string         `json:"pattern"`  // of the names of queues
	ApplyTo    string         `json:"apply-to"` // all, exchanges, queues, classic_queues, quorum_queues or streams
	Priority   int            `json:"priority"` // only the highest of those that match applies
	Definition map[string]any `json:"definition"`
}

// A Queue describes a queue or stream to which policies may apply.
type Queue struct {
	Name     string
	Type     string        // classic, quorum or stream
	Overflow string        // the declared behaviour of a full queue; "": none
	Expires  time.Duration // how long it outlives its last use; 0: for ever
}

// policies returns the policies in force for a queue: a user's, and an operator's, which
// RabbitMQ merges.
func (a API) policies(ctx context.Context, q Queue) (inForce []policy, err error) {
	for _, kind := range []string{"policies", "operator-policies"} {
		all, err := list[policy](ctx, a, a.ofVhost(kind), "name,pattern,apply-to,priority,definition")
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

// highest returns the policies for a queue that have the highest priority. Which of several
// applies is not defined.
func highest(all []policy, q Queue) (found []policy, err error) {
	for _, p := range all {
		pattern, err := regexp.Compile(p.Pattern)
		switch {
		case !p.concerns(q.Type):
		case err != nil:
			return nil, fmt.Errorf("the pattern %q of the policy %s cannot be read", p.Pattern, p.Name)
		case !pattern.MatchString(q.Name):
		case len(found) > 0 && p.Priority < found[0].Priority:
		case len(found) > 0 && p.Priority > found[0].Priority:
			found = []policy{p}
		default:
			found = append(found, p)
		}
	}
	return found, nil
}

// concerns reports whether a policy is for queues of a type.
func (p policy) concerns(queueType string) bool {
	ofType := queueType + "_queues"
	if queueType == "stream" {
		ofType = "streams"
	}
	return slices.Contains([]string{"all", "queues", ofType}, p.ApplyTo)
}

// drops returns the setting, such as "message-ttl 60000", that makes the broker drop confirmed
// messages of a queue; "" if there is none. The overflow of the queue overrides the policy's, and the
// shorter of two expiry times applies.
func (p policy) drops(q Queue) string {
	setting := func(name string) string { return name + " " + text(p.Definition[name]) }
	for _, name := range []string{"message-ttl", "max-age"} {
		if p.Definition[name] != nil {
			return setting(name)
		}
	}
	if ms, ok := p.Definition["expires"].(float64); ok && (q.Expires == 0 || ms < float64(q.Expires.Milliseconds())) {
		return setting("expires")
	}
	if q.Type == "quorum" && p.Definition["delivery-limit"] == 0.0 {
		return setting("delivery-limit") + ", which drops a message that comes back"
	}
	overflow := q.Overflow
	if overflow == "" && q.Type != "stream" { // which always drops the oldest
		overflow, _ = p.Definition["overflow"].(string)
	}
	for _, name := range []string{"max-length", "max-length-bytes"} {
		if p.Definition[name] != nil && !strings.HasPrefix(overflow, "reject-publish") {
			return setting(name) + ", beyond which the oldest are dropped"
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

// limits returns the limits of a queue from which policies drop confirmed messages: then an
// acknowledgement is worth nothing. asked is the level that the target asks for.
func (a API) limits(ctx context.Context, q Queue, asked requester.Durability) (limits []target.Limit) {
	inForce, err := a.policies(ctx, q)
	if err != nil {
		return policiesUnknown(asked, err)
	}
	for _, p := range inForce {
		if drops := p.drops(q); drops != "" {
			limits = append(limits, target.Limit{
				Level: requester.None, Because: "the policy " + p.Name + " sets " + drops, Remedy: "exclude " + q.Name + " from its pattern",
			})
		}
	}
	return limits
}

// policiesUnknown returns the limit of a queue whose policies are not known, and why. Many brokers
// have no API: without it a level counts as backed if none was asked for.
func policiesUnknown(asked requester.Durability, why error) []target.Limit {
	if !asked.AtLeast(requester.Accepted) {
		return nil
	}
	return []target.Limit{{Level: requester.None, Because: "the management API does not tell the policies for queues: " + why.Error() + " (" + nameAPI + ")", Unknown: true}}
}
