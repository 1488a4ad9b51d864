package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type answer struct {
	Status   int    `json:"status"`
	ID       string `json:"id,omitempty"`
	Repeated bool   `json:"repeated"`
	Error    string `json:"error,omitempty"`
}

// Does what the arguments say and prints the answer as one line of JSON.
func main() {
	arguments := os.Args[2:]
	do := submitReport
	if os.Args[1] == "ticket" {
		do = createTicket
	}
	result, err := do(arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	line, _ := json.Marshal(result)
	fmt.Println(string(line))
}
