//go:build linux

package cli

import (
	"context"
	"encoding/csv"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// What a run could not remove is said at its end, in one line, with the command that
// removes it; that command does.
func TestWhatIsLeftIsSaidAndCleaned(t *testing.T) {
	if testing.Short() || os.Getenv("BROKERBENCH_KAFKA_URL") == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_KAFKA_URL is not set; see deploy/local/brokers")
	}
	t.Parallel()
	url, do := ownBroker(t, "kafka")
	_, c, stderr := measureDying(t, url, func() { do("stop") }, 3*time.Second, time.Second)
	said := regexp.MustCompile(`(?m)^brokerbench: left on \S+: 2 topics, .* \(to remove: brokerbench (clean .*)\)$`).FindStringSubmatch(stderr)
	if said == nil || len(c.Left) != 2 {
		t.Fatalf("left: %v; stderr:\n%s", c.Left, stderr)
	}
	args := strings.Fields(said[1])
	code, _, stderr := invoke(args...)
	wantCode(t, code, command.ExitError, stderr, "nothing listens there")
	wantOneLine(t, stderr)
	do("start")

	code, stdout, stderr := invoke("clean", url)
	wantCode(t, code, command.ExitGood, stderr) // it may go on, for all that anybody knows
	wantTexts(t, stdout, "2 topics", "kept", "ago, and may go on: if it is over, name it with --only")
	code, stdout, stderr = invoke(append(args, "--dry-run", "--format", "json")...)
	wantCode(t, code, command.ExitGood, stderr)
	found := decode[struct{ Found []brokers.Leftover }](t, stdout).Found
	if len(found) != 2 || found[0].Outcome != brokers.WouldRemove || "topic "+found[0].Name != c.Left[0] {
		t.Errorf("found %+v", found)
	}
	code, stdout, stderr = invoke(append(args, "--format", "csv")...)
	wantCode(t, code, command.ExitGood, stderr)
	if rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll(); err != nil || len(rows) != 3 || rows[1][3] != "removed" {
		t.Errorf("%v, %v", rows, err)
	}
	code, stdout, stderr = invoke(args...)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "nothing is left")
}

func TestCleanRefusesMistakes(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"kafka://h", "kafka://i"},
		{"kafka:h"},
		{"kafka://h", "--older-than", "-1s"},
		{"kafka://h", "--older-than", "x"},
		{"nats://h", "--only", "20261122t015809"},
		{"kafka://h", "--only", ""},
		{"amqp://h", "--management", "http://bench:s3cret@h:15672"},
		{"amqp://h", "--management", "bench:s3cret@h"},
		{"amqp://h", "--management", "http://bench:s3%cret@h"},
	} {
		code, _, stderr := invoke(append([]string{"clean"}, args...)...)
		wantCode(t, code, command.ExitUsage, stderr)
		wantOneLine(t, stderr)
		if strings.Contains(stderr, "s3") || strings.Contains(stderr, "cret") {
			t.Errorf("%v: a secret in %s", args, stderr)
		}
	}
}

func TestTheLineAboutWhatIsLeftIsForAShell(t *testing.T) {
	for url, want := range map[string]string{
		"kafka://h:1": "kafka://h:1", "kafka://h?acks=all&sasl=plain": "'kafka://h?acks=all&sasl=plain'",
		"amqp://u:xxxxx@h:1,i:2/v%2F1": "amqp://u:xxxxx@h:1,i:2/v%2F1", "amqp://h/`id`": "'amqp://h/`id`'", `amqp://h/'\"`: `'amqp://h/'\''\"'`,
	} {
		if got := planning.Quoted(url); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}

// The command names what it lacks, and the cell if only one left something.
func TestTheLineAboutWhatIsLeftNamesPasswordAndCell(t *testing.T) {
	const run = "20261122t015809-907ea3f6"
	var l planning.Leftovers
	add := func(url string, names ...string) { l.Add(plan.Cell{Target: plan.Target{URL: url}}, names) }
	add("amqp://u:s3cret@h", "queue brokerbench."+run+"-12.0", "queue brokerbench."+run+"-12.7")
	add("kafka://h", "topic brokerbench."+run+"-3.0")
	add("kafka://h", "topic brokerbench."+run+"-4.0")
	add("loopback:", "thing brokerbench."+run+"-5.0")
	add("kafka://i", "topic brokerbench."+run+".0")
	var out strings.Builder
	l.Say(command.Streams{Err: &out, Brokers: brokers.All()}, run)
	for _, want := range []string{
		"brokerbench clean amqp://u:xxxxx@h --only " + run + "-12, with its password in place of xxxxx)\n",
		"brokerbench clean kafka://h --only " + run + ")\n", "brokerbench clean kafka://i --only " + run + ")\n",
		"left on loopback:: thing brokerbench." + run + "-5.0 (remove it with the broker's own tools: clean does not know them)\n",
	} {
		wantTexts(t, out.String(), want)
	}
}

func TestCleanOfABrokerThatKeepsNothingDoesNotConnect(t *testing.T) {
	code, stdout, stderr := invoke("clean", "loopback:")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "leaves nothing there")
}

// inUse is a system with something of each run that is asked for, which is in use.
type inUse struct{ stuck }

func (inUse) Left() []string { return nil }

func (inUse) Find(_ context.Context, q requester.LeftoverQuery) ([]requester.Leftover, string, error) {
	return []requester.Leftover{{Kind: "stream", Name: "brokerbench." + q.Run + ".0", Busy: "it has consumers"}}, "", nil
}

func (inUse) Remove(context.Context, []requester.Leftover) []error { panic("it is in use") }

// The user named the run, and it is still there: that is no success. A dry run promises nothing.
func TestCleanOfARunInUseFails(t *testing.T) {
	broker := brokers.Broker{
		Name: "used", Schemes: []string{"used"}, Example: "used://h", Summary: "x",
		Options: func(string) []requester.Setting { return nil },
		Open:    func(target.Target, string) (requester.Factory, error) { return inUse{}, nil },
	}
	for flag, want := range map[string]int{"--dry-run=false": command.ExitError, "--dry-run": command.ExitGood} {
		var out, errs strings.Builder
		code := Main([]string{"clean", "used://h", "--only", "20261122t015809-907ea3f6", flag},
			command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Brokers: append(brokers.All(), broker)})
		wantCode(t, code, want, errs.String())
		wantTexts(t, out.String(), "it has consumers")
	}
}
