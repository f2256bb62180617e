package target

import "regexp"

// userinfo finds user:password@ behind ://. The password reaches to the last @ of
// the word, because people forget to escape an @: it is better to hide too much.
var userinfo = regexp.MustCompile(`(://[^:/?#\s@"]*):[^\s"]*@`)

// token finds a user without a password in a URL of NATS, where it is a token.
var token = regexp.MustCompile(`((?:nats|tls)://)[^:/?#\s@",]+@`)

// escaped finds user:password@ in a URL that is the value of an option, as [Target.String]
// writes it.
var escaped = regexp.MustCompile(`(?i)(%3A%2F%2F[^:/?#\s@"&]*?)%3A[^\s"&]*%40`)

// Redact replaces the password of every URL in text by xxxxx, and a token of
// NATS: in a command line, in an error of a client library.
func Redact(text string) string {
	text = escaped.ReplaceAllString(text, "$1%3Axxxxx%40")
	return token.ReplaceAllString(userinfo.ReplaceAllString(text, "$1:xxxxx@"), "${1}xxxxx@")
}
