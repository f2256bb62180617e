package users

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// config is a schedule of 8 s with a second of warm-up.
func config(arrivals schedule.Arrivals, connections int, part schedule.Part) load.Config {
	return load.Config{
		Schedule: schedule.Spec{Rate: 500, Arrivals: arrivals, Seed: 5, Duration: 9 * time.Second}, Part: part, Connections: connections, Warmup: time.Second,
	}
}

// messages returns the messages of the window as a schedule has them, in the order in which they are done: each takes up
// to half a second, and a share of them is missing.
func messages(cfg load.Config, random *rand.Rand, missing float64) (ops []load.Op) {
	for conn, part := range cfg.Parts() {
		cursor := cfg.Schedule.Cursor(part)
		for seq := uint64(0); ; seq++ {
			due, more := cursor.Next()
			if !more {
				break
			}
			if due >= cfg.Warmup && random.Float64() >= missing {
				ops = append(ops, load.Op{Conn: conn, Seq: seq, Due: due, Done: due + time.Duration(random.Int64N(int64(time.Second/2)))})
			}
		}
	}
	slices.SortFunc(ops, func(a, b load.Op) int { return int(a.Done - b.Done) })
	return ops
}

// expected computes the users of a kind from all messages at once: of each who finishes the worst time.
func expected(cfg load.Config, of plan.User, ops []load.Op) (due int64, worst []time.Duration) {
	type message struct {
		due  time.Duration
		conn int
		seq  uint64
	}
	took := make(map[message]time.Duration)
	for _, op := range ops {
		took[message{0, op.Conn, op.Seq}] = op.Response()
	}
	lanes := make(map[int][]message)
	for conn, part := range cfg.Parts() {
		cursor := cfg.Schedule.Cursor(part)
		for seq := uint64(0); ; seq++ {
			at, more := cursor.Next()
			if !more {
				break
			}
			if lane := map[bool]int{false: conn}[of.Parallel]; at >= cfg.Warmup {
				lanes[lane] = append(lanes[lane], message{at, conn, seq})
			}
		}
	}
	for _, lane := range slices.Sorted(maps.Keys(lanes)) {
		list := lanes[lane]
		slices.SortFunc(list, func(a, b message) int {
			if a.due != b.due {
				return int(a.due - b.due)
			}
			if a.seq != b.seq {
				return int(a.seq) - int(b.seq)
			}
			return a.conn - b.conn
		})
		for user := range slices.Chunk(list, of.Messages) {
			if len(user) < of.Messages {
				continue
			}
			due++
			longest, all := time.Duration(0), true
			for _, m := range user {
				t, done := took[message{0, m.conn, m.seq}]
				longest, all = max(longest, t), all && done
			}
			if all {
				worst = append(worst, longest)
			}
		}
	}
	slices.Sort(worst)
	return due, worst
}

// Users are those that a look at all messages finds, in whatever order these are done, and if some are not.
func TestUsersAreThoseOfTheirMessages(t *testing.T) {
	list := []plan.User{{Messages: 1}, {Messages: 8}, {Messages: 50}, {Messages: 200}, {Messages: 8, Parallel: true}, {Messages: 200, Parallel: true}}
	for name, cfg := range map[string]load.Config{
		"one connection":           config(schedule.Constant, 1, schedule.Part{}),
		"seven":                    config(schedule.Constant, 7, schedule.Part{}),
		"bursts":                   config(schedule.Burst(10), 4, schedule.Part{}),
		"the second of two agents": config(schedule.Constant, 7, schedule.Part{Index: 1, Of: 2}),
		"random":                   config(schedule.Poisson, 1, schedule.Part{}),
	} {
		for _, missing := range []float64{0, 0.01} {
			ops := messages(cfg, rand.New(rand.NewPCG(1, 2)), missing)
			u := New(cfg, list)
			for _, op := range ops {
				u.Record(op)
			}
			u.Swap()
			due := Due(cfg, list, cfg.Schedule.Duration)
			for i, of := range list {
				users, worst := expected(cfg, of, ops)
				got := u.Fresh()[2*i]
				if due[i] != users || got.Count() != int64(len(worst)) || u.GivenUp()[i] != 0 {
					t.Errorf("%s, %v missing, %v: %d due and %d finished, want %d and %d; %d given up", name, missing, of, due[i], got.Count(), users, len(worst), u.GivenUp()[i])
				}
				for _, p := range []float64{1, 50, 99} {
					want := time.Duration(0)
					if len(worst) > 0 {
						want = worst[max(int(p*float64(len(worst))+99)/100, 1)-1]
					}
					if v := got.Quantile(p); v < want || v > want+want/1000 {
						t.Errorf("%s, %v missing, %v: p%v is %v, want %v", name, missing, of, p, v, want)
					}
				}
			}
		}
	}
}

func TestASumIsThatOfAllMessages(t *testing.T) {
	cfg := config(schedule.Constant, 1, schedule.Part{})
	u := New(cfg, []plan.User{{Messages: 3}, {Messages: 3, Parallel: true}})
	for i := range uint64(7) { // 500 messages of warm-up come before them
		u.Record(load.Op{Seq: 500 + i, Done: time.Duration(i+1) * time.Millisecond})
	}
	u.Swap()
	worst, sum := u.Fresh()[0], u.Fresh()[1]
	if worst.Count() != 2 || worst.Min() != 3*time.Millisecond || worst.Max() != 6*time.Millisecond {
		t.Errorf("worst: %d from %v to %v", worst.Count(), worst.Min(), worst.Max())
	}
	if sum.Count() != 2 || sum.Min() != 6*time.Millisecond || sum.Max() != 15*time.Millisecond {
		t.Errorf("sum: %d from %v to %v", sum.Count(), sum.Min(), sum.Max())
	}
	if n := u.Fresh()[3].Count(); n != 0 {
		t.Errorf("%d sums of messages in parallel", n)
	}
}

// A user who waits for longer than users are kept is given up, and a late reply does not disturb the user who has the place.
func TestAUserIsGivenUp(t *testing.T) {
	cfg := config(schedule.Constant, 1, schedule.Part{})
	u := New(cfg, []plan.User{{Messages: 2}})
	slots := uint64(len(u.kinds[0].lanes[0].slots))
	if slots != 2+30*500/2 {
		t.Fatalf("%d slots", slots)
	}
	record := func(number uint64) { u.Record(load.Op{Seq: 500 + number, Done: time.Millisecond}) }
	record(0)         // of user 0
	record(2 * slots) // of the user who has the place of user 0
	record(1)         // user 0 has all, too late
	record(2*slots + 1)
	if u.Swap(); u.Fresh()[0].Count() != 1 || u.GivenUp()[0] != 1 {
		t.Errorf("%d finished, %d given up", u.Fresh()[0].Count(), u.GivenUp()[0])
	}
}

func TestMemoryIsBounded(t *testing.T) {
	cfg := load.Config{Schedule: schedule.Spec{Rate: 1e9, Duration: time.Hour}, Connections: 100, Timeout: time.Hour}
	for _, of := range []plan.User{{Messages: 2}, {Messages: 2, Parallel: true}} {
		all := 0
		lanes := New(cfg, []plan.User{of}).kinds[0].lanes
		for i := range lanes {
			all += len(lanes[i].slots)
		}
		if all > mostSlots+200 {
			t.Errorf("%v: %d slots", of, all)
		}
	}
}

func TestNoUsersRecordNothing(t *testing.T) {
	u := New(config(schedule.Constant, 1, schedule.Part{}), nil)
	u.Record(load.Op{Seq: 1000})
	u.Swap()
	if u != nil || u.Fresh() != nil || u.GivenUp() != nil {
		t.Errorf("%+v", u)
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	cfg := config(schedule.Constant, 4, schedule.Part{})
	u := New(cfg, []plan.User{{Messages: 1}, {Messages: 50}, {Messages: 200, Parallel: true}})
	seq := uint64(125)
	if n := testing.AllocsPerRun(1000, func() { u.Record(load.Op{Conn: 1, Seq: seq, Done: time.Millisecond}); seq++ }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkRecord measures one message, by users, and their memory.
func BenchmarkRecord(b *testing.B) {
	for _, row := range []struct {
		name string
		list []plan.User
	}{
		{"none", nil},
		{"50", []plan.User{{Messages: 50}}},
		{"200 in parallel", []plan.User{{Messages: 200, Parallel: true}}},
		{"1, 8, 50, 200", []plan.User{{Messages: 1}, {Messages: 8}, {Messages: 50}, {Messages: 200}}},
	} {
		b.Run(row.name, func(b *testing.B) {
			cfg := load.Config{Schedule: schedule.Spec{Rate: 20_000, Duration: time.Hour}, Connections: 4}
			b.ReportAllocs()
			u := New(cfg, row.list)
			slots := 0
			for i := range row.list {
				for j := range u.kinds[i].lanes {
					slots += len(u.kinds[i].lanes[j].slots)
				}
			}
			i := uint64(0)
			for b.Loop() {
				u.Record(load.Op{Conn: int(i % 4), Seq: i / 4, Done: time.Millisecond})
				i++
			}
			b.ReportMetric(float64(32*slots), "B/slots")
		})
	}
}
