package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
)

const cleanLong = `Clean removes the topics, queues and streams that runs left on a broker because they were
killed, or because the broker was away when they ended. It touches only names that begin
with brokerbench., and no run that may be alive:

- a run with anything in use is kept as a whole: a topic or a stream in which messages
  arrive, a queue with a consumer, a session of an audit while its run sends;
- without --only, a run is kept if it began, or anything of it was used, within
  --older-than, or if its use is unknown, as of an empty topic or an exchange. Its name
  contains the time of its beginning. So keep --older-than above the longest pause
  between two messages of a run;
- names that neither a run of brokerbench nor its verify gives are kept.

Kafka: topics; a run has no consumer groups. RabbitMQ: durable queues, and exchanges;
of a rabbitmq-stream target streams. No protocol of its clients lists them: clean asks
the management API. If that does not answer, clean asks with --only for the names that
the run can have, says which, and ends with exit code 1, because there may be more; name
a cell (--only RUN-12) to ask for that one. Queues expire by themselves after ten
minutes. NATS and Redis: streams; of Redis those in the database of the URL. MQTT: the
sessions of audits, which nothing lists: clean asks with --only for the names that the
run can have, as it does of RabbitMQ without its API; they expire by themselves after a
week. Loopback keeps nothing once the connections of a run are closed: clean says so,
and does not connect.

clean local: removes what runs left on this machine whose brokers they had started
themselves, if they were killed together with their guardians: processes, folders,
mounts, network namespaces. The next run with such a broker does so, too.

Exit codes: 0 everything that may be removed is gone, or nothing is there; 1 the
broker cannot be reached, something could not be removed or looked for, or a run named
by --only was kept: it is in use, as a stream of NATS is for a while after its consumer
was killed; 2 a mistake in the command line; 130 interrupted.`

// cleanOptions are the flags and arguments of `clean`.
type cleanOptions struct {
	brokers.Cleaning
	target string
	command.Printing
}

// NewClean returns the command `clean`.
func NewClean(s command.Streams) *cobra.Command {
	var o cleanOptions
	c := &cobra.Command{
		Use:   "clean TARGET",
		Short: "Remove topics, queues and streams of earlier runs from a broker",
		Long:  cleanLong,
		Example: `  brokerbench clean kafka://127.0.0.1:9092 --dry-run
  brokerbench clean kafka://127.0.0.1:9092
  brokerbench clean kafka://127.0.0.1:9092 --only 20261122t015809-907ea3f6
  brokerbench clean local:`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: CompleteTargets(s),
		RunE: func(c *cobra.Command, args []string) error {
			o.target = args[0]
			if c.Flags().Changed("only") && o.Run == "" { // an empty variable of a shell must not mean every run
				return command.Usage(errors.New("--only: want the name of a run, or leave --only out for every run that is over"))
			}
			return clean(c.Context(), s, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Run, "only", "", "remove what this run, or this cell of a run, left; you say that it is over")
	f.DurationVar(&o.Age, "older-than", time.Hour, "without --only: keep what was used within this time")
	command.DefineDryRun(f, &o.DryRun)
	f.StringVar(&o.Management, "management", "", "URL of RabbitMQ's management API (default: http and port 15672 of the target; https and 15671 with amqps)")
	o.Define(f)
	return c
}

func clean(ctx context.Context, s command.Streams, o cleanOptions) error {
	if testbed.IsLocal(o.target) {
		return sweep(s, o)
	}
	target, err := running(s, o.target)
	if err != nil {
		return command.Usage(err)
	}
	if err := o.Cleaning.Check(); err != nil {
		return command.Usage(fmt.Errorf("--%w", err))
	}
	if err := o.Printing.Check(); err != nil {
		return err
	}
	if o.Age < 0 {
		return command.Usage(fmt.Errorf("--older-than %v: want no negative time", o.Age))
	}
	found, unseen, err := target.Clean(ctx, o.Cleaning)
	if err == nil {
		err = o.Show(s, cleaned(target, found, unseen))
	}
	switch {
	case ctx.Err() != nil:
		return command.Fail(command.ExitInterrupted, err)
	case err != nil:
		return err
	case unseen != "":
		return command.Fail(command.ExitError, errors.New("not everything could be looked for (see above)"))
	}
	for _, l := range found {
		if l.Outcome == brokers.Failed {
			return command.Fail(command.ExitError, errors.New("something could not be removed (see above)"))
		}
		if l.Outcome == brokers.Kept && o.Run != "" && !o.DryRun {
			return command.Fail(command.ExitError, errors.New("it was kept (see above): when it is no longer in use, repeat the command"))
		}
	}
	return nil
}

// sweep removes what runs with brokers of their own have left on this machine.
func sweep(s command.Streams, o cleanOptions) error {
	if err := o.Printing.Check(); err != nil {
		return err
	}
	undone, err := testbed.Sweep(o.DryRun)
	var d document.Document
	t, failed := document.Table{Head: []string{"undo", "outcome", "why"}}, false
	for _, one := range undone {
		outcome, why := "done", ""
		switch {
		case one.Err != nil:
			outcome, why, failed = string(brokers.Failed), one.Err.Error(), true
		case o.DryRun:
			outcome = "would be done"
		}
		t.Rows = append(t.Rows, []string{one.What, outcome, why})
	}
	if len(undone) == 0 {
		d.Say("local: nothing is left on this machine that no living brokerbench owns")
	} else {
		d.Show(t)
	}
	d.Exact(t, t.Rows)
	if err = cmp.Or(err, o.Show(s, &d)); err == nil && failed {
		err = command.Fail(command.ExitError, errors.New("something could not be undone (see above)"))
	}
	return err
}

// cleaned shows what was found: as text a row for all of a run with one outcome.
func cleaned(target brokers.Target, found []brokers.Leftover, unseen string) *document.Document {
	var d document.Document
	text, all := document.Table{Head: []string{"run", "what", "outcome", "why"}}, document.Table{Head: []string{"kind", "name", "run", "outcome", "reason"}}
	for i, l := range found {
		all.Rows = append(all.Rows, []string{l.Kind, l.Name, l.Run, string(l.Outcome), l.Reason})
		if i > 0 && alike(l, found[i-1]) {
			continue
		}
		n := 1
		for i+n < len(found) && alike(l, found[i+n]) {
			n++
		}
		text.Rows = append(text.Rows, []string{l.Run, words.Plural(n, l.Kind), string(l.Outcome), l.Reason})
	}
	switch {
	case len(found) > 0:
		d.Show(text)
	case !target.Leaves():
		d.Say(fmt.Sprintf("%s: a run leaves nothing there once its connections are closed", target))
	case unseen == "":
		d.Say(fmt.Sprintf("%s: nothing is left", target))
	}
	if unseen != "" {
		d.Say(fmt.Sprintf("%s: %s", target, unseen))
	}
	d.Exact(all, struct {
		Found  []brokers.Leftover `json:"found"`
		Unseen string             `json:"unseen,omitempty"`
	}{append([]brokers.Leftover{}, found...), unseen})
	return &d
}

func alike(a, b brokers.Leftover) bool {
	return a.Run == b.Run && a.Kind == b.Kind && a.Outcome == b.Outcome && a.Reason == b.Reason
}
