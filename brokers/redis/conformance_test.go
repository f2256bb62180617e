package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConformance(t *testing.T) {
	targets(t, func(t *testing.T, url string) { requestertest.Run(t, openURL(t, url)) })
}
