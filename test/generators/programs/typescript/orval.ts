import { createTicket, submitReport } from "./client/intake";
import { main } from "./main";
import { settings } from "./orval-fetch";

void main({
  async createTicket({ url, token, idempotencyKey, title, boardId }) {
    Object.assign(settings, { url, credential: token });
    const answer = await createTicket({ title, boardId }, { "Idempotency-Key": idempotencyKey });
    const repeated = answer.headers.get("Idempotent-Replayed") === "true";
    if (answer.status === 201) return { status: answer.status, id: answer.data.id, repeated };
    return { status: answer.status, repeated, error: answer.data?.error };
  },

  async submitReport({ url, key, envelope, attachment }) {
    Object.assign(settings, { url, credential: key });
    const answer = await submitReport({ envelope, attachment_0: attachment });
    if (answer.status !== 200) return { status: answer.status, error: answer.data?.error };
    return { status: answer.status, id: answer.data.eventId, repeated: answer.data.idempotent };
  },
});
