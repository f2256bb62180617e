package histogram_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

func ExampleHistogram() {
	h := histogram.New()
	for i := range 1000 {
		h.Record(time.Duration(i+1) * time.Microsecond)
	}
	fmt.Println(h.Count(), h.Min(), h.Quantile(50).Round(time.Microsecond), h.Max())
	// Output: 1000 1µs 500µs 1ms
}

// Of 1,000 messages 980 were answered. The others rank above every answer, so there is
// a p95 but no p99.
func ExampleHistogram_QuantileOf() {
	h := histogram.New()
	for range 980 {
		h.Record(2 * time.Millisecond)
	}
	for _, p := range []float64{95, 98, 99} {
		v, above, known := h.QuantileOf(p, 1000)
		fmt.Printf("p%v %v, known %v, %d above\n", p, v, known, above)
	}
	// Output:
	// p95 2ms, known true, 50 above
	// p98 2ms, known true, 20 above
	// p99 0s, known false, 10 above
}

func ExampleHistogram_Buckets() {
	h := histogram.New()
	for _, v := range []time.Duration{1000, 1000, 5000} {
		h.Record(v)
	}
	for highest, count := range h.Buckets() {
		fmt.Println(int64(highest), count)
	}
	// Output:
	// 1000 2
	// 5003 1
}

// One message at a time, due every millisecond, and one that took a second: 999
// messages that were due meanwhile were not sent.
func ExampleHistogram_Corrected() {
	h := histogram.New()
	for range 9000 {
		h.Record(500 * time.Microsecond)
	}
	h.Record(time.Second)
	c := h.Corrected(time.Millisecond)
	fmt.Println(h.Count(), h.Quantile(99))
	fmt.Println(c.Count(), c.Quantile(99).Round(10*time.Millisecond))
	// Output:
	// 9001 500.223µs
	// 10000 900ms
}

func ExampleRecorder() {
	const response, service = 0, 1
	recorder := histogram.NewRecorder(2, 4)

	var connections sync.WaitGroup
	for conn := range 10 {
		connections.Go(func() {
			for range 100 {
				recorder.Record(conn, []histogram.Sample{
					{Series: response, Value: 3 * time.Millisecond},
					{Series: service, Value: 2 * time.Millisecond},
				})
			}
		})
	}
	connections.Wait()

	interval := []*histogram.Histogram{histogram.New(), histogram.New()}
	recorder.Swap(interval)
	fmt.Println(interval[response].Count(), interval[response].Max(), interval[service].Max())
	// Output: 1000 3ms 2ms
}

func ExampleWritePercentiles() {
	h := histogram.New()
	h.Record(time.Millisecond)
	h.Record(5 * time.Millisecond)
	if err := histogram.WritePercentiles(os.Stdout, h); err != nil {
		fmt.Println(err)
	}
	// Output:
	//        Value     Percentile TotalCount 1/(1-Percentile)
	//
	//        1.000 0.000000000000          1           1.00
	//        1.000 0.100000000000          1           1.11
	//        1.000 0.200000000000          1           1.25
	//        1.000 0.300000000000          1           1.43
	//        1.000 0.400000000000          1           1.67
	//        1.000 0.500000000000          1           2.00
	//        5.001 0.550000000000          2           2.22
	//        5.001 1.000000000000          2
	// #[Mean    =        3.000, StdDeviation   =        1.999]
	// #[Max     =        5.001, Total count    =            2]
	// #[Buckets =           32, SubBuckets     =         2048]
}

func ExampleReadPercentiles() {
	p, err := histogram.ReadPercentiles(strings.NewReader(`
  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
       6.671     0.500000          500         2.00
      12.503     1.000000         1000          inf
#[Mean    =        6.602, StdDeviation   =        1.919]
#[Max     =       12.496, Total count    =         1000]
#[Buckets =           27, SubBuckets     =         2048]
Requests/sec:   2000.28
`))
	fmt.Println(p.Rows[1].Value, p.Max, p.Count, err)
	// Output: 6.671 12.496 1000 <nil>
}

func ExampleReadLog() {
	var file bytes.Buffer
	w := histogram.NewLogWriter(&file, time.Date(2025, 12, 5, 2, 0, 0, 0, time.UTC))
	for second := range time.Duration(3) {
		h := histogram.New()
		h.Record((second + 1) * time.Millisecond)
		if err := w.Write("response", second*time.Second, (second+1)*time.Second, h); err != nil {
			fmt.Println(err)
		}
	}

	log, err := histogram.ReadLog(&file)
	if err != nil {
		fmt.Println(err)
	}
	for _, e := range log.Entries {
		fmt.Println(e.Tag, e.Start, e.Length, e.Histogram.Max().Round(time.Microsecond))
	}
	sum, err := log.Merged("response")
	fmt.Println(sum.Count(), err)
	// Output:
	// response 0s 1s 1ms
	// response 1s 1s 2.001ms
	// response 2s 1s 3ms
	// 3 <nil>
}
