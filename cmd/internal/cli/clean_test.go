//go:build linux

package cli

import (
	"encoding/csv"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
)

// What a run could not remove is said at its end, in one line, with the command that
// removes it; that command does.
func TestWhatIsLeftIsSaidAndCleaned(t *testing.T) {
	if testing.Short() || os.Getenv("BROKERBENCH_KAFKA_URL") == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_KAFKA_URL is not set; see deploy/local/brokers")
	}
	url, do := ownBroker(t, "kafka")
	_, c, stderr := measureDying(t, url, func() { do("stop") }, 3*time.Second, time.Second)
	said := regexp.MustCompile(`(?m)^brokerbench: left on \S+: 2 topics, .* \(to remove: brokerbench (clean .*)\)$`).FindStringSubmatch(stderr)
	if said == nil || len(c.Left) != 2 {
		t.Fatalf("left: %v; stderr:\n%s", c.Left, stderr)
	}
	args := strings.Fields(said[1])
	code, _, stderr := command(args...)
	wantCode(t, code, exitError, stderr, "nothing listens there")
	wantOneLine(t, stderr)
	do("start")

	code, stdout, stderr := command("clean", url)
	wantCode(t, code, exitGood, stderr) // it may go on, for all that anybody knows
	wantTexts(t, stdout, "2 topics", "kept", "ago, and may go on: if it is over, name it with --run")
	code, stdout, stderr = command(append(args, "--dry-run", "-o", "json")...)
	wantCode(t, code, exitGood, stderr)
	found := decode[struct{ Found []brokers.Leftover }](t, stdout).Found
	if len(found) != 2 || found[0].Outcome != brokers.WouldRemove || "topic "+found[0].Name != c.Left[0] {
		t.Errorf("found %+v", found)
	}
	code, stdout, stderr = command(append(args, "-o", "csv")...)
	wantCode(t, code, exitGood, stderr)
	if rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll(); err != nil || len(rows) != 3 || rows[1][3] != "removed" {
		t.Errorf("%v, %v", rows, err)
	}
	code, stdout, stderr = command(args...)
	wantCode(t, code, exitGood, stderr)
	wantTexts(t, stdout, "nothing is left")
}

func TestCleanRefusesMistakes(t *testing.T) {
	for _, args := range [][]string{{}, {"kafka://h", "kafka://i"}, {"kafka:h"}, {"kafka://h", "--older-than", "-1s"}, {"kafka://h", "--older-than", "x"}} {
		code, _, stderr := command(append([]string{"clean"}, args...)...)
		wantCode(t, code, exitUsage, stderr)
		wantOneLine(t, stderr)
	}
}

func TestTheLineAboutWhatIsLeftIsForAShell(t *testing.T) {
	for url, want := range map[string]string{
		"kafka://h:1": "kafka://h:1", "kafka://h?acks=all&sasl=plain": "'kafka://h?acks=all&sasl=plain'",
	} {
		if got := quoted(url); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}
