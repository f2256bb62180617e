package machine

import (
	"testing"
	"time"
)

// The lines are those of chrony 4.3 and linuxptp 3.1.
func TestTimeSyncIsRead(t *testing.T) {
	const tracking = "A29FC87B,162.159.200.123,4,1700000000.123456789,-0.000021000,0.000001234,0.000034567,-12.345,0.001,0.020,0.010400000,0.000700000,64.5,Normal\n"
	if got, ok := chronyBound(tracking); !ok || got != 5921*time.Microsecond {
		t.Errorf("chrony: %v, %v; want 5.921 ms", got, ok)
	}
	for _, text := range []string{
		"", "x", "00000000,,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n",
		"A29FC87B,h,4,1,x,0,0,0,0,0,1,1,64,Normal\n",
	} {
		if got, ok := chronyBound(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
	const pmc = "sending: GET CURRENT_DATA_SET\n\tcafe.0 seq 0 RESPONSE MANAGEMENT CURRENT_DATA_SET\n\t\tstepsRemoved     1\n\t\toffsetFromMaster -142.0\n"
	if got, ok := ptpOffset(pmc); !ok || got != -142 {
		t.Errorf("PTP: %v, %v", got, ok)
	}
	if _, ok := ptpOffset("no answer"); ok {
		t.Error("an offset of nothing")
	}
}
