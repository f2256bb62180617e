package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/config/number"
	"github.com/brokerbench/brokerbench/plan"
)

// A fault is a fault that was read.
type fault struct {
	plan.Fault
	at place
}

// ReadFault returns a fault with the values of its keys, which are those of a plan file, and of
// its command. It does not check what goes together: plan.Fault.Validate does.
func ReadFault(values map[string]string, command []string) (plan.Fault, error) {
	d := new(draft)
	var errs []error
	for _, k := range d.faultKeys() {
		if text, given := values[k.Name]; given {
			errs = append(errs, k.read(text))
		}
	}
	if len(command) > 0 {
		d.fault.Do, d.fault.Command = plan.Run, command
	}
	return d.fault, errors.Join(errs...)
}

// readFault reads one fault of a plan file.
func (r *reader) readFault(n *yaml.Node) {
	d, before, timed := new(draft), len(r.found), false
	f := &d.fault
	fields := r.fields(d.faultKeys(), func(k Key, v *yaml.Node) {
		timed = timed || k.Name == "at"
		r.check(placeOf(v), k.read(v.Value))
	})
	fields["run"] = func(key, v *yaml.Node) { f.Command = r.readCommand(key, v) }
	if !r.mapping(n, "a fault", fields) || before != len(r.found) {
		return
	}
	if len(f.Command) > 0 && f.Do == "" {
		f.Do = plan.Run
	}
	if !timed {
		r.add(placeOf(n), "a fault without at: when it begins, such as 10s")
	}
	if f.Do == "" {
		r.add(placeOf(n), "a fault without do, run or pause")
	}
	if before == len(r.found) {
		r.faults = append(r.faults, fault{*f, placeOf(n)})
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
			if t.System == nil {
				continue
			}
			if err := t.System.CheckFault(f.Fault); err != nil {
				r.add(f.at, "target %s: %v", t.Name, err)
			}
		}
		faults = append(faults, f.Fault)
	}
	slices.SortStableFunc(faults, func(a, b plan.Fault) int { return int(a.At - b.At) })
	return faults
}

// ofNodes is the node of a fault.
func ofNodes(field *string) kind {
	return kind{schema: object{"type": []any{"string", "integer"}}, put: into(field, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("want leader, any-follower, any, all, or the name of a node")
		}
		return text, nil
	})}
}

// ofLoss is 1% or 0.01.
func ofLoss(field *float64) kind {
	share := object{"type": "number", "minimum": 0, "exclusiveMaximum": 1}
	return kind{schema: anyOf(share, matching(`^[0-9]+(\.[0-9]+)?%?$`)), put: into(field, func(text string) (float64, error) {
		number, percent := strings.CutSuffix(text, "%")
		loss, err := strconv.ParseFloat(number, 64)
		if percent {
			loss /= 100
		}
		if err != nil || !(loss >= 0 && loss < 1) { // not a NaN either
			return 0, errors.New("want a part of all segments below 100%, such as 1% or 0.01")
		}
		return loss, nil
	})}
}

func ofThrottle(field *int64) kind {
	schema := anyOf(object{"type": "integer", "minimum": 1}, matching(strings.TrimSuffix(sizeText, "$")+"(/s)?$"))
	return kind{schema: schema, put: into(field, func(text string) (int64, error) {
		n, err := number.Size(strings.TrimSuffix(text, "/s"))
		if err == nil && n == 0 {
			err = errors.New("want 1 byte per second or more; cut lets none through")
		}
		return int64(n), err
	})}
}

func ofConsumers(f *plan.Fault) kind {
	return kind{schema: object{"enum": []string{plan.Consumers}}, put: func(text string) error {
		if text != plan.Consumers {
			return errors.New("want consumers; to pause a node: do: pause, node: " + plan.Leader)
		}
		f.Do, f.Node = plan.ConsumerPause, plan.Consumers
		return nil
	}}
}

func ofPID(field *int) kind {
	return kind{schema: object{"type": "integer", "minimum": 2}, put: into(field, func(text string) (int, error) {
		pid, err := strconv.Atoi(text)
		if err != nil || pid < 2 {
			return 0, errors.New("want the number of the broker's process")
		}
		return pid, nil
	})}
}

// faultsSchema is that of the key faults.
func faultsSchema() object {
	run := commandSchema("A program of your own and its arguments.", "kubectl", "delete", "pod", "kafka-0")
	one := strict("One fault.", new(draft).faultKeys(), object{"run": run})
	one["required"] = []any{"at"}
	return list("Faults during the measurement of a cell.", one)
}

// commandSchema is that of a command, which readCommand reads.
func commandSchema(doc string, example ...any) object {
	words := object{"type": "array", "minItems": 1, "items": object{"type": []any{"string", "number", "boolean"}}}
	schema := described(doc, anyOf(object{"type": "string", "minLength": 1}, words))
	schema["examples"] = []any{example}
	return schema
}
