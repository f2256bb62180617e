package transport

import (
	"context"
	"sync"
)

// Work is what a link runs in the background, and why it is lost. A link embeds it.
type Work struct {
	sync.WaitGroup // of its goroutines

	Stop context.CancelFunc // ends the context of the goroutines
	lost chan error
}

// Begin returns the context of the goroutines. setup is that of Setup, whose end does not matter.
func (w *Work) Begin(setup context.Context) (background context.Context) {
	w.lost = make(chan error, 1)
	background, w.Stop = context.WithCancel(context.WithoutCancel(setup))
	return background
}

// Lose records why the link is lost: the first reason counts.
func (w *Work) Lose(err error) {
	select {
	case w.lost <- err:
	default:
	}
}

// Lost implements [Link].
func (w *Work) Lost() <-chan error { return w.lost }
