package users

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

const (
	perSecond = 500
	gap       = time.Second / perSecond
	beyond    = 20 * time.Millisecond // the limit whose share is estimated
)

// A system makes the response times of messages that are due every 2 ms. Its truth is the share of users of n
// messages whose worst is beyond the limit; NaN: it is simulated.
type system struct {
	name  string
	new   func(random *rand.Rand) func(due time.Duration) time.Duration
	truth func(n int) float64
}

// Response times are log-normal with a median of 1 ms; of independent ones a share of 0.3 % is beyond the limit.
var (
	spread   = math.Log(float64(beyond/time.Millisecond)) / normal(0.997)
	logTimes = func(z float64) time.Duration { return time.Duration(math.Exp(spread*z) * float64(time.Millisecond)) }
)

// normal returns a quantile of the normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

func independent() system {
	return system{"independent", func(random *rand.Rand) func(time.Duration) time.Duration {
		return func(time.Duration) time.Duration { return logTimes(random.NormFloat64()) }
	}, func(n int) float64 { return 1 - math.Pow(0.997, float64(n)) }}
}

// autoregressive has the same distribution, with a memory.
func autoregressive(memory time.Duration) system {
	return system{fmt.Sprintf("AR(1), memory %v", memory), func(random *rand.Rand) func(time.Duration) time.Duration {
		phi := math.Exp(-float64(gap) / float64(memory))
		z, step := random.NormFloat64(), math.Sqrt(1-phi*phi)
		return func(time.Duration) time.Duration {
			z = phi*z + step*random.NormFloat64()
			return logTimes(z)
		}
	}, func(int) float64 { return math.NaN() }}
}

// pausing stands still after an exponential time.
func pausing(long, every time.Duration) system {
	return system{fmt.Sprintf("pauses of %v every %v", long, every), func(random *rand.Rand) func(time.Duration) time.Duration {
		wait := func() time.Duration { return time.Duration(random.ExpFloat64() * float64(every)) }
		from := wait()
		if random.Float64() < float64(long)/float64(long+every) { // one is under way
			from = -time.Duration(random.Float64() * float64(long))
		}
		return func(due time.Duration) time.Duration {
			for due >= from+long {
				from += long + wait()
			}
			if due < from {
				return time.Millisecond
			}
			return from + long - due + time.Millisecond
		}
	}, func(n int) float64 {
		// A user is spared whose messages are all outside of the first part of pauses. It begins between pauses, or in the
		// last part of one, of which the rest is spare time.
		users, limit, e := float64(n-1)*float64(gap), float64(beyond-time.Millisecond), float64(every)
		inLast := min(limit, users)
		last := e*(math.Exp((inLast-users)/e)-math.Exp(-users/e)) + max(limit-users, 0)
		return 1 - (e*math.Exp(-users/e)+last)/(e+float64(long))
	}}
}

// series returns those of the messages and of users of one window.
func (s system) series(seed uint64, n int, window time.Duration) (messages, worst *confidence.Series) {
	of := s.new(rand.New(rand.NewPCG(seed, uint64(n))))
	u := New(load.Config{Schedule: schedule.Spec{Rate: perSecond, Duration: window}, Connections: 1}, []plan.User{{Messages: n}})
	messages, worst = new(confidence.Series), new(confidence.Series)
	second := histogram.New()
	for i := range int(window / gap) {
		due := time.Duration(i) * gap
		response := of(due)
		second.Record(response)
		u.Record(load.Op{Seq: uint64(i), Due: due, Done: due + response})
		if (i+1)%perSecond == 0 {
			u.Swap()
			messages.Add(second)
			worst.Add(u.Fresh()[0])
			second.Reset()
			u.Fresh()[0].Reset()
			u.Fresh()[1].Reset()
		}
	}
	return messages, worst
}

// share returns the true share of users beyond the limit.
func (s system) share(n int) float64 {
	if known := s.truth(n); !math.IsNaN(known) {
		return known
	}
	of, over := s.new(rand.New(rand.NewPCG(1, 99))), 0
	const users = 200_000
	for range users {
		worst := time.Duration(0)
		for range n {
			worst = max(worst, of(0))
		}
		if worst > beyond {
			over++
		}
	}
	return float64(over) / users
}

// TestSimulatedUsers is the proof: where messages depend on each other the naive formula is wrong, and the intervals of the
// shares of users hold the truth. Seeds are 0 to 199, and were not selected.
func TestSimulatedUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine for half a minute, ten times as long with the race detector")
	}
	runs := 200
	if *simulation.Long {
		runs = 1000
	}
	page := simulation.NewPage(t, "users", "# Which share of users waits too long?\n\nA user needs n consecutive messages of 500/s, and waits too long if one of them takes more than 20 ms. "+
		"Naive is 1 − pⁿ for the share p of messages that do not, and its interval is that of p. Made by `go test ./internal/users -run Simulated -args -long`.")
	page.Table(fmt.Sprintf("%d runs each. The truth of AR(1) is that of 200,000 users. **Where few pauses come in a window, the interval covers less often**: a window without any says nothing of them (pauses.md).", runs),
		"system", "window", "n", "true share", "measured, on average", "covered", "naive, on average", "covered by naive")
	for _, c := range []struct {
		system
		window  time.Duration
		n       int
		covers  float64 // at least
		naively float64 // at most
		long    bool
	}{
		{independent(), time.Minute, 8, 0.93, 1, false},
		{independent(), time.Minute, 50, 0.93, 1, true},
		{autoregressive(50 * time.Millisecond), time.Minute, 8, 0.93, 0.6, false},
		{autoregressive(50 * time.Millisecond), time.Minute, 50, 0.93, 0.3, true},
		{autoregressive(500 * time.Millisecond), 4 * time.Minute, 50, 0.93, 0.3, true},
		{pausing(200*time.Millisecond, 5*time.Second), time.Minute, 8, 0.93, 0.3, false},
		{pausing(200*time.Millisecond, 5*time.Second), time.Minute, 50, 0.93, 0.1, true},
		{pausing(200*time.Millisecond, 5*time.Second), 2 * time.Minute, 200, 0.93, 0.1, true},
		{pausing(time.Second, 10*time.Second), 4 * time.Minute, 50, 0.93, 0.1, true},
		{pausing(200*time.Millisecond, 30*time.Second), time.Minute, 50, 0.7, 0.3, true},
	} {
		if c.long && !*simulation.Long {
			continue
		}
		truth, covered, naively, mean, naiveMean := c.share(c.n), 0, 0, 0., 0.
		naive := func(message float64) float64 { return 1 - math.Pow(1-message, float64(c.n)) }
		for seed := range runs {
			messages, worst := c.series(uint64(seed), c.n, c.window)
			share, low, high := worst.Beyond(beyond, 0)
			message, messageLow, messageHigh := messages.Beyond(beyond, 0)
			mean, naiveMean = mean+share/float64(runs), naiveMean+naive(message)/float64(runs)
			if low <= truth && truth <= high {
				covered++
			}
			if naive(messageLow) <= truth && truth <= naive(messageHigh) {
				naively++
			}
		}
		percent := func(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }
		page.Row(c.name, c.window.String(), fmt.Sprint(c.n), percent(truth), percent(mean), simulation.Percent(covered, runs), percent(naiveMean), simulation.Percent(naively, runs))
		t.Logf("%s, %v, n=%d: true %.4f, measured %.4f covered %d of %d, naive %.4f covered %d", c.name, c.window, c.n, truth, mean, covered, runs, naiveMean, naively)
		if math.Abs(mean-truth) > 0.15*truth {
			t.Errorf("%s, n=%d: the mean of the shares is %v, want %v", c.name, c.n, mean, truth)
		}
		if float64(covered) < c.covers*float64(runs) || float64(naively) > c.naively*float64(runs) {
			t.Errorf("%s, n=%d: covered in %d of %d runs, naively in %d", c.name, c.n, covered, runs, naively)
		}
	}
}
