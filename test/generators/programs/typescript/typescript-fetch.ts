import { Configuration, CreateTicketNotFoundFromJSON, ReportsApi, ResponseError, TicketsApi } from "./client";
import { main } from "./main";

void main({
  async createTicket({ url, token, idempotencyKey, title, boardId }) {
    const tickets = new TicketsApi(new Configuration({ basePath: url, accessToken: token }));
    try {
      const answer = await tickets.createTicketRaw({ idempotencyKey, createTicket: { title, boardId } });
      const repeated = answer.raw.headers.get("Idempotent-Replayed") === "true";
      return { status: answer.raw.status, id: (await answer.value()).id, repeated };
    } catch (thrown) {
      if (!(thrown instanceof ResponseError)) throw thrown;
      const { status } = thrown.response;
      return { status, error: CreateTicketNotFoundFromJSON(await thrown.response.json()).error };
    }
  },

  async submitReport({ url, key, envelope, attachment }) {
    const reports = new ReportsApi(new Configuration({ basePath: url, accessToken: key }));
    const answer = await reports.submitReportRaw({ envelope, attachment0: attachment });
    const { eventId, idempotent } = await answer.value();
    return { status: answer.raw.status, id: eventId, repeated: idempotent };
  },
});
