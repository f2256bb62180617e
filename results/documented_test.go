package results_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/results"
)

func TestEveryFieldIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	fields(reflect.TypeFor[results.Run](), names)
	fields(reflect.TypeFor[results.Cell](), names)
	fields(reflect.TypeFor[results.Resources](), names)
	fields(reflect.TypeFor[results.Nodes](), names)
	fields(reflect.TypeFor[results.Summary](), names)
	fields(reflect.TypeFor[cause.Samples](), names)
	if len(names) < 50 {
		t.Fatalf("only %d fields found", len(names))
	}
	for name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/files.md does not mention %s", name)
		}
	}
	for _, schema := range []string{results.RunSchema, results.CellSchema, results.ResourcesSchema, results.NodesSchema, results.SummarySchema, cause.Schema} {
		if !strings.Contains(string(text), "`"+schema+"`") {
			t.Errorf("docs/files.md does not mention the schema %s", schema)
		}
	}
}

// fields collects the JSON names of a type and of what it contains.
func fields(t reflect.Type, names map[string]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			if names[name] = true; name == "sections" {
				continue // cells, too
			}
			fields(t.Field(i).Type, names)
		}
	}
}
