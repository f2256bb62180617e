package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	address, file := brokertest.Expired(t)
	f := brokertest.Opened(t, Open, "amqps://"+address+"?tls-ca="+file, "")
	brokertest.WantFault(t, requestertest.NewLink(t, f, 0).Begin(), brokertest.ExpiredSays...)
}
