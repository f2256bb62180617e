package rabbitstream

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	address, file := brokertest.Expired(t)
	f := brokertest.Opened(t, Open, "rabbitmq-stream+tls://"+address+"?tls-ca="+file, "")
	brokertest.WantFault(t, brokertest.NewLink(t, f, 0).Begin(), brokertest.ExpiredSays...)
}
