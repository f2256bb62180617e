package group_test

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
)

func ExampleBy() {
	words := []string{"nats", "redis", "kafka", "mqtt"}
	fmt.Println(group.By(words, func(word string) int { return len(word) }))
	fmt.Println(len(group.By([]string(nil), func(word string) string { return word })))
	// Output:
	// [[nats mqtt] [redis kafka]]
	// 0
}

func ExampleUnique() {
	fmt.Println(group.Unique([]string{"nats", "redis", "nats"}))
	// Output: [nats redis]
}
