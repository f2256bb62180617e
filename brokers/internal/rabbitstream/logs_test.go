package rabbitstream

import (
	"bytes"
	"log"
	"testing"

	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/logs"
)

func TestMuteLeavesOutTheClientsLines(t *testing.T) {
	var b bytes.Buffer
	before := log.Writer()
	log.SetOutput(Mute(&b))
	defer log.SetOutput(before)
	logs.LogError("timeout %d ns", 5000)
	logs.LogInfo("wait inflight messages")
	logs.LogWarn("Error handleWrite")
	if b.Len() > 0 {
		t.Errorf("%q", b.String())
	}
	log.Print("a line of somebody else's [error] - ")
	if want := "a line of somebody else's [error] - \n"; !bytes.HasSuffix(b.Bytes(), []byte(want)) {
		t.Errorf("%q, want it to end with %q", b.String(), want)
	}
}
