package redis

import (
	"errors"
	"strings"
)

// storeRemedy is what to do about a server that keeps messages, or cannot.
func storeRemedy(err error) string {
	switch text := err.Error(); {
	case strings.HasPrefix(text, "MISCONF"):
		return "the server cannot write to its disk: free some space, and look into its log"
	case strings.HasPrefix(text, "LOADING"):
		return "the server still reads its data: wait until it has"
	case strings.HasPrefix(text, "READONLY"), strings.Contains(text, "cannot be used with replica"):
		return "this is a replica: name the master in the URL"
	case strings.HasPrefix(text, "NOREPLICAS"):
		return "the server's min-replicas-to-write wants more replicas: start them, or lower it"
	case strings.HasPrefix(text, "MOVED"), strings.HasPrefix(text, "CLUSTERDOWN"):
		return "this is a cluster, which is not supported: name a server that is none"
	case errors.Is(err, errGone), strings.HasPrefix(text, "NOGROUP"):
		return "the stream was there: somebody removed it, or the server evicted it (maxmemory-policy)"
	case errors.Is(err, errExists):
		return "it may be in use, and is left as it is: if nobody needs it, remove it with `brokerbench clean`"
	case errors.Is(err, errTrimmed):
		return "leave the option max-len out, or make it larger than what a connection sends"
	case errors.Is(err, errReplicas), errors.Is(err, errNoFsync):
		return "look at INFO replication and INFO persistence of the server; start its replicas, lower wait-replicas, or raise wait-timeout"
	case strings.Contains(text, "WAITAOF cannot be used when numlocal"):
		return "the server has no append-only file: start it with appendonly yes, or leave the option wait-fsync out"
	case strings.Contains(strings.ToLower(text), "unknown command 'waitaof'"):
		return "the option wait-fsync needs Redis 7.2 or later, or Valkey"
	case strings.Contains(text, "Invalid stream ID"), strings.Contains(strings.ToLower(text), "unknown command 'xadd'"):
		return "the option stream needs Redis 6.2 or later"
	}
	return ""
}
