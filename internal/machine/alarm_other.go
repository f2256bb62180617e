//go:build !linux

package machine

// newAlarm sleeps as Go does: its error is in every value.
func newAlarm() alarm { return sleep{} }
