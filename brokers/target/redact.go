package target

import "regexp"

// userinfo finds user:password@ behind ://. The password reaches to the last @ of
// the word, because people forget to escape an @: it is better to hide too much.
var userinfo = regexp.MustCompile(`(://[^:/?#\s@"]*):[^\s"]*@`)

// token finds a user without a password in a URL of NATS, where it is a token.
var token = regexp.MustCompile(`((?:nats|tls)://)[^:/?#\s@",]+@`)

// Redact replaces the password of every URL in text by xxxxx, and a token of
// NATS: in a command line, in an error of a client library.
func Redact(text string) string {
	return token.ReplaceAllString(userinfo.ReplaceAllString(text, "$1:xxxxx@"), "${1}xxxxx@")
}
