import { createTicket, submitReport } from "./client";
import { createClient } from "./client/client";
import { main } from "./main";

void main({
  async createTicket({ url, token, idempotencyKey, title, boardId }) {
    const { data, error, response } = await createTicket({
      client: createClient({ baseUrl: url, auth: token }),
      headers: { "Idempotency-Key": idempotencyKey },
      body: { title, boardId },
    });
    const repeated = response?.headers.get("Idempotent-Replayed") === "true";
    return { status: response?.status ?? 0, id: data?.id, repeated, error: error?.error };
  },

  async submitReport({ url, key, envelope, attachment }) {
    const { data, error, response } = await submitReport({
      client: createClient({ baseUrl: url, auth: key }),
      body: { envelope, attachment_0: attachment },
    });
    return { status: response?.status ?? 0, id: data?.eventId, repeated: data?.idempotent, error: error?.error };
  },
});
