import createClient from "openapi-fetch";
import type { paths } from "./client/schema";
import { main } from "./main";

void main({
  async createTicket({ url, token, idempotencyKey, title, boardId }) {
    const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
    const { data, error, response } = await client.POST("/api/v1/tickets", {
      params: { header: { "Idempotency-Key": idempotencyKey } },
      body: { title, boardId },
    });
    const repeated = response.headers.get("Idempotent-Replayed") === "true";
    return { status: response.status, id: data?.id, repeated, error: error?.error };
  },

  async submitReport({ url, key, envelope, attachment }) {
    const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
    const { data, error, response } = await client.POST("/api/ingest", {
      body: { envelope: asString(envelope), attachment_0: asString(attachment) },
      bodySerializer: toForm,
    });
    return { status: response.status, id: data?.eventId, repeated: data?.idempotent, error: error?.error };
  },
});

/** The generated types have a string in place of a file. */
function asString(file: File): string {
  return file as unknown as string;
}

function toForm(body: object): FormData {
  const form = new FormData();
  for (const [name, file] of Object.entries(body)) form.append(name, file as File);
  return form;
}
