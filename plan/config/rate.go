package config

// ParseRate reads ops per second as plan files write them: 3000, 20k, 1.5M, each
// also with /s.
func ParseRate(text string) (int, error) { return parseRate(text) }
