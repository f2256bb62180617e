package target_test

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// A broker reads its URL, sets its options, and refuses what it does not know.
func Example() {
	var timeout time.Duration
	define := func(o target.Options) { o.DurationVar(&timeout, "timeout", time.Second, "how long to wait") }
	for _, url := range []string{"mine://user:pw@h1,h2:7001?timeout=2s", "mine://h?timeuot=2s"} {
		t, err := target.Parse(url)
		if err != nil {
			fmt.Println(err)
			continue
		}
		if err := target.NewOptions("mine", define).Apply(t.Query); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t, t.Addrs("7000"), timeout)
	}
	// Output:
	// mine://user:xxxxx@h1,h2:7001?timeout=2s [h1:7000 h2:7001] 2s
	// unknown option "timeuot" (did you mean "timeout"?); `brokerbench brokers mine` lists them
}
