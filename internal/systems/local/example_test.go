package local_test

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/systems/local"
)

func ExampleParse() {
	t, err := local.Parse("local:nats,durability=node?consumer=pull")
	fmt.Println(t.Nodes, err)
	fmt.Println(t)
	// Output:
	// 3 <nil>
	// local:nats,nodes=3,durability=node?consumer=pull
}
