package config

import (
	"github.com/brokerbench/brokerbench/internal/config/number"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// ParseSize reads bytes as plan files write them: see [number.Size].
func ParseSize(text string) (int, error) { return number.Size(text) }

// ParseRate reads a rate as plan files write it: see [number.Rate].
func ParseRate(text string) (schedule.Rate, error) { return number.Rate(text) }
