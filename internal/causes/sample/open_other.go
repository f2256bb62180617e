//go:build !linux

package sample

import "github.com/brokerbench/brokerbench/internal/leaf/cause"

// open finds nothing: other systems have no /proc.
func (s *Sampler) open() {
	s.lacks(cause.RunQueue, cause.Client, "only Linux shows it")
}

type finder struct{}

func (finder) find(<-chan struct{}, func()) {}
