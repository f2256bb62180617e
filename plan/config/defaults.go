package config

// The defaults of a plan, as a user would write them. Those of percentiles are
// [plan.DefaultPercentiles], which a plan that is made by hand needs, too.
const (
	defaultRate        = "3000"
	defaultSize        = "1KiB"
	defaultConnections = "1"
	defaultInFlight    = "open"
	defaultArrivals    = "constant"
	defaultDuration    = "30s"
	defaultWarmup      = "5s"
	defaultTimeout     = "30s"
	defaultRepeat      = "1"
	defaultSeed        = "1"
	defaultSenders     = "1"
	defaultSpin        = "auto"
	defaultFloor       = "on"
	defaultOut         = "./brokerbench-results"
)

// unnamed is the name of a plan that has none, and no file with a fitting name.
const unnamed = "run"

// QuickStart returns the defaults of a run without a target and a plan file: it
// shows something after a few seconds.
func QuickStart() Values {
	return Values{"rate": {"1000"}, "duration": {"10s"}, "warmup": {"2s"}, "name": {"quickstart"}}
}
