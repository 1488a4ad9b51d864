package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type answer struct {
	Status   int    `json:"status"`
	ID       string `json:"id,omitempty"`
	Repeated bool   `json:"repeated"`
	Error    string `json:"error,omitempty"`
}

// Does what each line of stdin says, with tabs between the words, and prints each answer as JSON with a NUL behind it.
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		do := submitReport
		if words[0] == "ticket" {
			do = createTicket
		}
		result, err := do(words[1:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text, _ := json.Marshal(result)
		fmt.Printf("%s\x00", text)
	}
}
