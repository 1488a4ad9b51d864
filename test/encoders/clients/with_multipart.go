// Sends a report with mime/multipart. Built by itself: it needs the standard library only.
package main

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
)

func main() {
	url, key, variant := os.Args[1], os.Args[2], os.Args[6]
	envelope, screenshot, log := os.Args[3], os.Args[4], os.Args[5]

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
	text := must(io.ReadAll(answer.Body))
	fmt.Printf("%s\n%d\n", text, answer.StatusCode)
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
