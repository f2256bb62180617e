package plan

import (
	"fmt"
	"time"
)

// Spin is how long before due a sender stops sleeping and spins. The zero value
// lets the engine choose, from the rate and the cores at hand.
type Spin struct{ window *time.Duration }

// SpinFor returns a fixed window; 0 is no spinning.
func SpinFor(window time.Duration) Spin { return Spin{&window} }

// Window returns the fixed window; ok is false if the engine is to choose.
func (s Spin) Window() (window time.Duration, ok bool) {
	if s.window == nil {
		return 0, false
	}
	return *s.window, true
}

// String returns "auto" or the window.
func (s Spin) String() string {
	if s.window == nil {
		return "auto"
	}
	return s.window.String()
}

// MarshalText implements encoding.TextMarshaler.
func (s Spin) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads "auto" or a duration such as 50us.
func (s *Spin) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*s = Spin{}
		return nil
	}
	window, err := time.ParseDuration(string(text))
	if err != nil || window < 0 {
		return fmt.Errorf("spin %q: want auto or a duration such as 50us", text)
	}
	*s = SpinFor(window)
	return nil
}
