package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestAStoreIsFilled(t *testing.T) {
	for _, options := range []string{"stream=read", "stream=group"} {
		t.Run(options, func(t *testing.T) { brokertest.Filled(t, Open, serve(t).url("", ""), options) })
	}
}
