package main

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"intake/client"
)

func newClient(url, credential string) (*client.ClientWithResponses, error) {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+credential)
		return nil
	}
	return client.NewClientWithResponses(url, client.WithRequestEditorFn(authorize))
}

func createTicket(arguments []string) (answer, error) {
	api, err := newClient(arguments[0], arguments[1])
	if err != nil {
		return answer{}, err
	}
	ticket := client.CreateTicket{Title: arguments[3]}
	if len(arguments) > 4 {
		boardID, err := uuid.Parse(arguments[4])
		if err != nil {
			return answer{}, err
		}
		ticket.BoardId = &boardID
	}
	parameters := &client.CreateTicketParams{IdempotencyKey: &arguments[2]}
	response, err := api.CreateTicketWithResponse(context.Background(), parameters, ticket)
	if err != nil {
		return answer{}, err
	}
	if response.JSON404 != nil {
		return answer{Status: response.StatusCode(), Error: string(response.JSON404.Error)}, nil
	}
	if response.JSON201 == nil {
		return answer{}, fmt.Errorf("%s: %s", response.Status(), response.Body)
	}
	replayed := response.Headers201.IdempotentReplayed
	repeated := replayed != nil && *replayed == "true"
	return answer{Status: response.StatusCode(), ID: response.JSON201.Id.String(), Repeated: repeated}, nil
}

func submitReport(arguments []string) (answer, error) {
	api, err := newClient(arguments[0], arguments[1])
	if err != nil {
		return answer{}, err
	}
	// The form is the caller's: the client takes its bytes.
	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
	if err := addFile(form, "envelope", arguments[2], "application/gzip"); err != nil {
		return answer{}, err
	}
	if err := addFile(form, "attachment_0", arguments[3], arguments[4]); err != nil {
		return answer{}, err
	}
	if err := form.Close(); err != nil {
		return answer{}, err
	}
	response, err := api.SubmitReportWithBodyWithResponse(context.Background(), form.FormDataContentType(), body)
	if err != nil {
		return answer{}, err
	}
	if response.JSON200 == nil {
		return answer{}, fmt.Errorf("%s: %s", response.Status(), response.Body)
	}
	received := response.JSON200
	return answer{Status: response.StatusCode(), ID: received.EventId.String(), Repeated: received.Idempotent}, nil
}

func addFile(form *multipart.Writer, name, path, contentType string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition(name, filepath.Base(path)))
	header.Set("Content-Type", contentType)
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	return err
}
