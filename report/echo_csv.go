package report

import "github.com/brokerbench/brokerbench/results"

// echoHead names what echoFields writes.
func echoHead() (head []string) {
	for _, series := range []string{"outward", "back", "echo_handling"} {
		for _, p := range results.Percentiles() {
			head = append(head, series+"_p"+number(p)+"_ns")
		}
	}
	return append(head, "echo", "echo_lost", "echo_received", "echo_failed", "echo_bound_ns", "outward_below_zero", "back_below_zero")
}

// echoFields writes the two halves of the way, and what the echo did; nothing without one.
func echoFields(c *results.Cell) (fields []string) {
	if c.Echo == nil {
		return make([]string, len(echoHead()))
	}
	for _, d := range []*results.Distribution{c.Outward, c.Back, &c.Echo.Handling} {
		fields = append(fields, percentileFields(d)...)
	}
	fields = append(fields, c.Echo.Kind, c.Echo.Lost, integer(c.Echo.Received), integer(c.Echo.Failed))
	if clock := c.Echo.Clock; clock != nil {
		return append(fields, integer(clock.BoundNS), integer(clock.Outward.Count), integer(clock.Back.Count))
	}
	return append(fields, "", "", "")
}
