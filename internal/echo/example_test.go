package echo_test

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/echo"
	"github.com/brokerbench/brokerbench/requester"
)

// Send back what arrives, with the time at which it did.
func ExampleOpen() {
	f := new(far) // a broker's factory after Cross(requester.Echo)
	e, err := echo.Open(context.Background(), echo.Config{Factory: f, Connections: 1, Size: 64, Clock: func() int64 { return 1500 }})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.replys[0](message(1, 64)) // what the client does when a message arrives
	fmt.Println(requester.ReadEcho(f.sent[0]), e.Report().Received, e.Close())
	// Output: 1500 1 <nil>
}
