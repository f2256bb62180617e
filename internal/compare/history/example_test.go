package history

import "fmt"

// Thirty nights, of which the last eight are slower.
func ExampleNew() {
	h, err := New(nights(30, step1(22)), Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range h.Cells[0].Metrics[:1] {
		for _, c := range m.Changes {
			fmt.Printf("%s: since %s ×%.1f, alarm: %v\n", m.Name, c.Started.Format("2006-01-02"), c.After/c.Before, c.Alarm)
		}
	}
	// Output:
	// p50: since 2026-10-23 ×1.3, alarm: true
}
