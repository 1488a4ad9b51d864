package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type message struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
}

type verdict struct {
	Accepted  bool   `json:"accepted"`
	Signature string `json:"signature"`
}

func main() {
	var messages []message
	must(json.NewDecoder(os.Stdin).Decode(&messages))
	verdicts := []verdict{}
	for _, one := range messages {
		webhook, err := standardwebhooks.NewWebhook(one.Secret)
		must(err)
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		seconds, err := strconv.ParseInt(one.Headers["webhook-timestamp"], 10, 64)
		must(err)
		signature, err := webhook.Sign(one.Headers["webhook-id"], time.Unix(seconds, 0), one.Body)
		must(err)
		verdicts = append(verdicts, verdict{webhook.Verify(one.Body, headers) == nil, signature})
	}
	must(json.NewEncoder(os.Stdout).Encode(verdicts))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
