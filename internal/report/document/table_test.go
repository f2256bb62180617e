package document_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/document"
)

func ExampleTable() {
	s := document.Table{Head: []string{"target", "p99", "max"}, Rows: [][]string{{"nats", "0.379", "~4.9"}, {"Kafka | 2", "15", ""}}, Align: "lr"}
	fmt.Print(s.Text())
	fmt.Print(s.Markdown())
	if err := s.CSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// target       p99   max
	// nats       0.379  ~4.9
	// Kafka | 2     15
	// | target | p99 | max |
	// | :-- | --: | --: |
	// | nats | 0.379 | \~4.9 |
	// | Kafka \| 2 | 15 |  |
	// target,p99,max
	// nats,0.379,~4.9
	// Kafka | 2,15,
}

func TestText(t *testing.T) {
	for name, c := range map[string]struct {
		table document.Table
		want  string
	}{
		"nothing":         {document.Table{}, ""},
		"no head":         {document.Table{Rows: [][]string{{"a", "bb"}, {"ccc", "d"}}}, "a    bb\nccc  d\n"},
		"gap":             {document.Table{Rows: [][]string{{"a", "b"}}, Gap: 1}, "a b\n"},
		"short rows":      {document.Table{Head: []string{"a", "b"}, Rows: [][]string{{"1"}, {}}}, "a  b\n1\n\n"},
		"long row":        {document.Table{Head: []string{"a"}, Rows: [][]string{{"1", "more"}}}, "a\n1  more\n"},
		"wide characters": {document.Table{Rows: [][]string{{"≥1", "x"}, {"100", "y"}}, Align: "r"}, " ≥1  x\n100  y\n"},
	} {
		if got := c.table.Text(); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Whatever the fields hold, a row of Markdown stays one row of as many columns,
// and CSV reads back.
func FuzzFields(f *testing.F) {
	f.Add("a|b", "x\r\ny")
	f.Add(`\|`, "<b>")
	f.Add("`|`", "\\")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := document.Table{Head: []string{"one", "two"}, Rows: [][]string{{a, b}}}
		lines := strings.Split(strings.TrimSuffix(s.Markdown(), "\n"), "\n")
		if len(lines) != 3 || bars(lines[2]) != 3 || strings.ContainsAny(lines[2], "<>") {
			t.Errorf("Markdown of %q and %q: %q", a, b, lines)
		}
		var text strings.Builder
		if err := s.CSV(&text); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") } // what encoding/csv reads
		if want := []string{lf(a), lf(b)}; err != nil || !reflect.DeepEqual(got[1], want) {
			t.Errorf("CSV: got %q, %v, want %q", got, err, want)
		}
	})
}

// bars counts those that are not escaped.
func bars(line string) (n int) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

// Names in other scripts stand in columns as they do on a terminal.
func TestWidthsOfOtherScripts(t *testing.T) {
	table := document.Table{Rows: [][]string{{"東京", "1"}, {"größe", "2"}, {"cafe\u0301", "3"}, {"서울", "4"}}}
	const want = "東京   1\ngröße  2\ncafe\u0301   3\n서울   4\n"
	if got := table.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
