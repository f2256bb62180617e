package report

import (
	"fmt"

	"github.com/brokerbench/brokerbench/results"
)

// faultsHead names what faultFields writes.
func faultsHead() []string {
	return []string{
		"faults", "faults_made", "ack_outage_ns", "ack_outage_over", "delivery_outage_ns", "delivery_outage_over", "recovery_ns", "fault_worst_ns",
		"fault_due", "fault_failed", "fault_lost", "fault_acked_lost", "fault_duplicates", "fault_out_of_order",
	}
}

// faultFields writes the faults of a cell: of times the longest of all its faults, of messages
// the sums; what is not known of any is empty. An outage that is not shown is 0.
func faultFields(c *results.Cell) []string {
	fields := make([]string, len(faultsHead()))
	if len(c.Faults) == 0 {
		return fields
	}
	s := results.FaultSummary{}
	var acks, deliveries *results.Outage
	recovery, recovered := int64(-1), true
	worst := int64(0)
	for _, one := range c.Faults {
		h := one.Harm
		if one.Done() {
			s.Made++
		}
		if h == nil {
			continue
		}
		s.Add(h)
		acks, deliveries, worst = results.Worse(acks, h.Acks), results.Worse(deliveries, h.Deliveries), max(worst, h.WorstNS)
		if h.RecoveredNS != nil {
			recovery = max(recovery, *h.RecoveredNS)
		} else {
			recovered = false
		}
	}
	fields[0], fields[1] = joined(c.Faults, faultText), fmt.Sprint(s.Made)
	fields[2], fields[3] = outageFields(acks)
	fields[4], fields[5] = outageFields(deliveries)
	if recovered && recovery >= 0 {
		fields[6] = integer(recovery)
	}
	if s.Due > 0 {
		longest := ""
		if s.Done > 0 {
			longest = integer(worst)
		}
		copy(fields[7:], []string{
			longest, integer(s.Due), integer(s.Failed), integer(s.Lost), known(s.AckedLost, integer), integer(s.Duplicates), integer(s.OutOfOrder),
		})
	}
	return fields
}

// outageFields writes how long an outage was, and whether it ended.
func outageFields(o *results.Outage) (lasted, over string) {
	switch {
	case o == nil:
		return "", ""
	case !o.Shown:
		return "0", "true"
	}
	return integer(o.ForNS), fmt.Sprint(o.Over())
}

// faultText writes a fault, and why it was not made or mended.
func faultText(f results.Fault) string {
	if f.Error != "" {
		return f.Name() + ": " + f.Error
	}
	return f.Name()
}
