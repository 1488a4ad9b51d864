package main

import (
	"context"
	"errors"
	"os"

	"intake/client"
)

func newClient(url, credential string) (*client.APIClient, context.Context) {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: url}}
	// The servers of the single operations would go before.
	configuration.OperationServers = nil
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, credential)
	return client.NewAPIClient(configuration), ctx
}

func createTicket(arguments []string) (answer, error) {
	api, ctx := newClient(arguments[0], arguments[1])
	ticket := client.NewCreateTicket(arguments[3])
	if len(arguments) > 4 {
		ticket.SetBoardId(arguments[4])
	}
	made, response, err := api.TicketsAPI.CreateTicket(ctx).IdempotencyKey(arguments[2]).CreateTicket(*ticket).Execute()
	if err != nil {
		refusal := &client.GenericOpenAPIError{}
		if !errors.As(err, &refusal) {
			return answer{}, err
		}
		notFound, known := refusal.Model().(client.CreateTicketNotFound)
		if !known {
			return answer{}, err
		}
		return answer{Status: response.StatusCode, Error: notFound.Error}, nil
	}
	repeated := response.Header.Get("Idempotent-Replayed") == "true"
	return answer{Status: response.StatusCode, ID: made.Id, Repeated: repeated}, nil
}

func submitReport(arguments []string) (answer, error) {
	api, ctx := newClient(arguments[0], arguments[1])
	envelope, err := os.Open(arguments[2])
	if err != nil {
		return answer{}, err
	}
	attachment, err := os.Open(arguments[3])
	if err != nil {
		return answer{}, err
	}
	// It closes both files.
	received, response, err := api.ReportsAPI.SubmitReport(ctx).Envelope(envelope).Attachment0(attachment).Execute()
	if err != nil {
		return answer{}, err
	}
	return answer{Status: response.StatusCode, ID: received.EventId, Repeated: received.Idempotent}, nil
}
