package document_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/document"
)

func ExampleDocument() {
	var d document.Document
	d.Say("Response time in ms")
	d.Show(document.Table{Head: []string{"target", "p99"}, Rows: [][]string{{"nats", "0.379"}}, Align: "lr"})
	d.Note("note: p99<1ms was kept")
	d.Exact(document.Table{Head: []string{"target", "p99_ns"}, Rows: [][]string{{"nats", "378879"}}}, map[string]int{"nats": 378_879})
	for _, format := range document.Formats() {
		if err := d.Write(os.Stdout, format); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// Response time in ms
	// target    p99
	// nats    0.379
	// note: p99<1ms was kept
	// {
	//   "nats": 378879
	// }
	// target,p99_ns
	// nats,378879
	// Response time in ms
	//
	// | target | p99 |
	// | :-- | --: |
	// | nats | 0.379 |
	//
	// - note: p99&lt;1ms was kept
}

// Blocks may differ between text and Markdown. Without an exact table CSV is the
// one that is shown.
func TestWrite(t *testing.T) {
	var d document.Document
	table := document.Table{Head: []string{"a", "b"}, Rows: [][]string{{"1", "good"}}, Bold: []string{"good"}}
	d.Add("only text\n", "")
	d.Note("  one")
	d.Note("two")
	d.ShowAs("1 is good\n", table)
	d.Add("", "only Markdown\n")
	d.Say("end")
	for format, want := range map[document.Format]string{
		document.Text:     "only text\n  one\ntwo\n1 is good\nend\n",
		document.Markdown: "- one\n- two\n\n| a | b |\n| :-- | :-- |\n| 1 | **good** |\n\nonly Markdown\n\nend\n",
		document.CSV:      "a,b\n1,good\n",
		document.JSON:     "null\n",
	} {
		var got strings.Builder
		if err := d.Write(&got, format); err != nil || got.String() != want {
			t.Errorf("%s: got %q, %v, want %q", format, got.String(), err, want)
		}
		if err := d.Write(full{}, format); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", format, err, errFull)
		}
	}
	if err := d.Write(os.Stdout, "html"); err == nil {
		t.Error("an unknown format is written")
	}
}

var errFull = errors.New("full")

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestGrouped(t *testing.T) {
	table := document.Table{Head: []string{"p50", "p99"}, Align: "r"}
	got := table.Grouped([]document.Group{{Title: "nats:", Rows: [][]string{{"1", "2"}, {"10", "200"}}}, {Title: "none:"}, {Title: "redis:", Rows: [][]string{{"3", ""}}}})
	want := "  p50  p99\nnats:\n    1    2\n   10  200\nnone:\nredis:\n    3\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWrap(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ≥ ", 60))
	for _, line := range strings.Split(document.Wrap(long), "\n") {
		if n := len([]rune(line)); n > document.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got := strings.Join(strings.Fields(document.Wrap(long)), " "); got != long {
		t.Errorf("got %q", got)
	}
	if got := document.Wrap("  " + long); !strings.HasPrefix(got, "  word") {
		t.Errorf("got %q", got)
	}
	unbreakable := strings.Repeat("x", 200)
	if got := document.Wrap(unbreakable); got != unbreakable {
		t.Errorf("got %q", got)
	}
}

// A command line that lacks a password says so where it is pasted.
func TestACommandWithoutItsPassword(t *testing.T) {
	for url, want := range map[string]string{
		"nats://127.0.0.1:4222":        "Next: brokerbench run nats://127.0.0.1:4222\n",
		"amqp://guest:xxxxx@127.0.0.1": "Next: brokerbench run amqp://guest:xxxxx@127.0.0.1 # replace xxxxx by the password\n",
	} {
		var d document.Document
		d.Command("Next: ", []string{"brokerbench", "run", url})
		if got := d.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
