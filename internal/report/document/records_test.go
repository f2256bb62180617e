package document_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/document"
)

func TestRecords(t *testing.T) {
	type inner struct {
		N    *int64
		Rate float64
		List []string
	}
	type percentile struct {
		Percentile float64
		NS         int
	}
	type row struct {
		*inner

		Name  string
		Other *inner
		At    time.Time
		Took  time.Duration
		Good  bool
		Parts []percentile
	}
	rows := []row{
		{inner: &inner{N: new(int64(5)), Rate: 0.1, List: []string{"a", "b"}}, Name: "x", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Took: time.Millisecond, Good: true, Parts: []percentile{{50, 5}, {99.9, 7}}},
		{inner: &inner{}, Other: &inner{Rate: 1e21}},
	}
	got := document.Records(rows, "name=Name n=N rate=Rate p99.9=Parts/99.9/NS", "count=List/# list=List other=Other/Rate at=At? took=Took took_or_none=Took? good=Good took_s=Took digits=Other/Rate%.3e")
	want := document.Table{
		Head: []string{"name", "n", "rate", "p99.9", "count", "list", "other", "at", "took", "took_or_none", "good", "took_s", "digits"},
		Rows: [][]string{
			{"x", "5", "0.1", "7", "2", "a b", "", "2026-01-02T03:04:05Z", "1000000", "1000000", "true", "0.0", ""},
			{"", "", "0", "", "0", "", "1000000000000000000000", "", "0", "", "false", "0.0", "1.000e+21"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRecordsPanicsOfAPathThatDoesNotExist(t *testing.T) {
	for _, path := range []string{"x=Nothing", "x=List/first"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", path)
				}
			}()
			document.Records([]struct{ List []int }{{[]int{1}}}, path)
		}()
	}
}
