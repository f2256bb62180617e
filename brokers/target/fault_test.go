package target

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

func TestExplainPrefersTheBrokersOwnRemedy(t *testing.T) {
	own := func(err error) string {
		if errors.Is(err, io.EOF) {
			return "ours"
		}
		return ""
	}
	var f *Fault
	if err := Explain(Target{}, "testing", io.EOF, own); !errors.As(err, &f) || f.Remedy != "ours" {
		t.Errorf("%v; want the broker's remedy", err)
	}
	if err := Explain(Target{}, "testing", context.DeadlineExceeded, own); !errors.As(err, &f) || f.Remedy == "" || f.Remedy == "ours" {
		t.Errorf("%v; want the remedy that networks have in common", err)
	}
}

func TestBecause(t *testing.T) {
	alive, ended := t.Context(), ended(t)
	dial, client := errors.New("refused"), errors.New("no servers")
	tests := []struct {
		ctx             context.Context
		err, dial, want error
	}{
		{alive, nil, nil, nil},
		{ended, nil, dial, nil},
		{alive, client, nil, client},
		{alive, client, dial, dial},
		{ended, client, dial, context.Canceled},
	}
	for _, tt := range tests {
		if got := Because(tt.ctx, tt.err, tt.dial); !errors.Is(got, tt.want) {
			t.Errorf("Because(%v, %v) = %v, want %v", tt.err, tt.dial, got, tt.want)
		}
	}
}

func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// late is a context whose deadline has passed and whose timer has not fired.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-time.Microsecond), true }

func TestBecauseOfADeadlineThatIsJustOver(t *testing.T) {
	if got := Because(late{t.Context()}, io.ErrNoProgress); !errors.Is(got, context.DeadlineExceeded) {
		t.Errorf("%v, want the deadline", got)
	}
}
