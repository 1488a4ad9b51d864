// Sends a report with mime/multipart. Built by itself: it needs the standard library only.
package main

import (
	"bufio"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
)

// A line for each report.
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		send(strings.Split(lines.Text(), "\t"))
	}
}

func send(words []string) {
	url, key, variant := words[0], words[1], words[5]
	envelope, screenshot, log := words[2], words[3], words[4]

	// Through a pipe the length is unknown, so the body goes chunked.
	body, write := io.Pipe()
	form := multipart.NewWriter(write)
	go func() {
		if variant == "named" {
			// The envelope last: the order of parts is free.
			copyInto(must(form.CreateFormFile("screenshot", filepath.Base(screenshot))), screenshot)
			copyInto(must(form.CreateFormFile("log", filepath.Base(log))), log)
			header := textproto.MIMEHeader{}
			header.Set("Content-Type", "application/json")
			header.Set("Content-Disposition", `form-data; name="envelope"; filename="report.json"`)
			header.Set("X-Part", "has a header of its own")
			copyInto(must(form.CreatePart(header)), envelope)
		} else {
			copyInto(must(form.CreateFormField("envelope")), envelope)
			copyInto(must(form.CreateFormField("screenshot")), screenshot)
			copyInto(must(form.CreateFormField("log")), log)
		}
		write.CloseWithError(form.Close())
	}()

	request := must(http.NewRequest("POST", url, body))
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+key)
	answer := must(http.DefaultClient.Do(request))
	defer answer.Body.Close()
	text := must(io.ReadAll(answer.Body))
	fmt.Printf("%s\n%d\x00", text, answer.StatusCode)
}

func copyInto(part io.Writer, path string) {
	file := must(os.Open(path))
	defer file.Close()
	must(io.Copy(part, file))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
