package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A fault is a fault that was read.
type fault struct {
	plan.Fault
	at place
}

// FaultKeys returns the keys of a fault, but run, which takes a list. They are no flags of run.
func FaultKeys() []Key {
	duration := func(name, help string, example any, field func(*plan.Fault) *time.Duration) Key {
		return Key{
			Name: name, Help: help, examples: []any{example}, schema: or(matching(durationText), 0),
			put: into(func(d *draft) *time.Duration { return field(&d.Fault) }, parseDuration),
		}
	}
	return []Key{
		duration("at", "when it begins, from the start of the measured window", "10s", func(f *plan.Fault) *time.Duration { return &f.At }),
		{
			Name: "do", Help: "what breaks: " + strings.Join(faultKinds(), ", "), examples: []any{"kill", "slow"},
			schema: words(faultKinds()...), put: into(func(d *draft) *plan.FaultKind { return &d.Do }, parseFaultKind),
		},
		{
			Name: "node", Help: "which: leader, any-follower, any, all, or the name of a node", examples: []any{"leader", 2},
			schema: object{"type": []any{"string", "integer"}}, put: into(func(d *draft) *string { return &d.Node }, parseNode),
		},
		duration("for", "how long it lasts; until the end of the cell if left out", "5s", func(f *plan.Fault) *time.Duration { return &f.For }),
		duration("restart", "how long after kill or stop the node starts again; at the end of the cell if left out", "5s", func(f *plan.Fault) *time.Duration { return &f.Restart }),
		duration("delay", "of slow: how much later everything comes, in each direction", "20ms", func(f *plan.Fault) *time.Duration { return &f.Delay }),
		duration("jitter", "of slow: by how much the delay varies, up and down", "5ms", func(f *plan.Fault) *time.Duration { return &f.Jitter }),
		{
			Name: "loss", Help: "of slow: part of the segments that are lost, and sent again", examples: []any{"1%"},
			schema: anyOf(object{"type": "number", "minimum": 0, "exclusiveMaximum": 1}, matching(`^[0-9]+(\.[0-9]+)?%?$`)),
			put:    into(func(d *draft) *float64 { return &d.Loss }, parseLoss),
		},
		{
			Name: "throttle", Help: "of slow: bytes per second that get through, in each direction", examples: []any{"1MiB/s"},
			schema: anyOf(object{"type": "integer", "minimum": 1}, matching(strings.TrimSuffix(sizeText, "$")+"(/s)?$")),
			put:    into(func(d *draft) *int64 { return &d.Throttle }, parseThrottle),
		},
		{
			Name: "pause", Help: "consumers: those of brokerbench itself read nothing", examples: []any{"consumers"}, schema: words(plan.Consumers),
			put: func(d *draft, text string) error {
				if text != plan.Consumers {
					return errors.New("want consumers; to pause a node: do: pause, node: " + plan.Leader)
				}
				d.Do, d.Node = plan.ConsumerPause, plan.Consumers
				return nil
			},
		},
	}
}

func faultKinds() (words []string) {
	for _, b := range plan.FaultKinds() {
		words = append(words, string(b))
	}
	return words
}

func parseFaultKind(text string) (plan.FaultKind, error) {
	if !slices.Contains(faultKinds(), text) {
		return "", errors.New("want " + strings.Join(faultKinds(), ", "))
	}
	return plan.FaultKind(text), nil
}

func parseNode(text string) (string, error) {
	if text == "" {
		return "", errors.New("want leader, any-follower, any, all, or the name of a node")
	}
	return text, nil
}

// parseLoss reads 1% or 0.01.
func parseLoss(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	loss, err := strconv.ParseFloat(number, 64)
	if percent {
		loss /= 100
	}
	if err != nil || !(loss >= 0 && loss < 1) { // not a NaN either
		return 0, errors.New("want a part of all segments below 100%, such as 1% or 0.01")
	}
	return loss, nil
}

func parseThrottle(text string) (int64, error) {
	n, err := ParseSize(strings.TrimSuffix(text, "/s"))
	if err == nil && n == 0 {
		err = errors.New("want 1 byte per second or more; cut lets none through")
	}
	return int64(n), err
}

// ReadFault returns a fault with the values of its keys, which are those of FaultKeys, and of
// its command. It does not check what goes together: plan.Fault.Validate does.
func ReadFault(values map[string]string, command []string) (plan.Fault, error) {
	var d draft
	var errs []error
	for _, k := range FaultKeys() {
		if text, given := values[k.Name]; given {
			errs = append(errs, k.set(&d, text))
		}
	}
	if len(command) > 0 {
		d.Do, d.Command = plan.Run, command
	}
	return d.Fault, errors.Join(errs...)
}

// readFault reads one fault of a plan file.
func (r *reader) readFault(n node) {
	var d draft
	before := len(r.found)
	given, ok := r.readKeys(n, "a fault", FaultKeys(), func(k Key, v node) bool { return r.check(v.at(), k.set(&d, v.Value)) },
		map[string]func(key, value node){"run": func(key, v node) { d.Command = r.readCommand(key, v) }})
	if !ok {
		return
	}
	if _, timed := given["at"]; !timed && before == len(r.found) {
		r.add(n.at(), "a fault without at: when it begins, such as 10s")
	}
	if len(d.Command) > 0 && d.Do == "" {
		d.Do = plan.Run
	}
	if d.Do == "" && len(r.found) == before {
		r.add(n.at(), "a fault without do, run or pause")
	}
	if len(r.found) == before {
		r.faults = append(r.faults, fault{d.Fault, n.at()})
	}
}

// checkFaults returns the faults in the order in which they begin. It reports what is wrong
// with one, or does not fit the window or a target.
func (r *reader) checkFaults(p plan.Plan) (faults []plan.Fault) {
	for _, f := range r.faults {
		if !r.check(f.at, f.Validate(p.Settings.Duration)) {
			continue
		}
		for _, t := range p.Targets {
			if t.System != nil {
				r.check(f.at, forTarget(t, t.System.CheckFault(f.Fault)))
			}
		}
		faults = append(faults, f.Fault)
	}
	slices.SortStableFunc(faults, func(a, b plan.Fault) int { return int(a.At - b.At) })
	return faults
}

func forTarget(t plan.Target, err error) error {
	if err == nil {
		return nil
	}
	return errors.New("target " + t.Name + ": " + err.Error())
}

// faultsSchema is that of the key faults.
func faultsSchema() object {
	one := strict("One fault.", FaultKeys(), object{
		"run": object{
			"description": "A program of your own and its arguments.", "examples": []any{[]any{"kubectl", "delete", "pod", "kafka-0"}},
			"anyOf": []any{object{"type": "string", "minLength": 1}, object{"type": "array", "minItems": 1, "items": object{"type": []any{"string", "number", "boolean"}}}},
		},
	})
	one["required"] = []any{"at"}
	return list("Faults during the measurement of a cell.", one)
}
