import { gunzipSync } from "node:zlib";
import type { Head } from "./request-reader.ts";

interface Acceptance {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Stores tickets and reports as Intake does, as far as a client can tell: the same key or id is never stored twice. */
export class Accepting {
  readonly #made = new Map<string, string>();

  get stored(): number {
    return this.#made.size;
  }

  async accept(head: Head, body: Buffer): Promise<Acceptance> {
    try {
      return head.path.endsWith("/api/ingest") ? await this.#report(head, body) : this.#ticket(head, body);
    } catch (error) {
      return { status: 400, headers: {}, body: JSON.stringify({ error: "invalid_input", message: `${error}` }) };
    }
  }

  #ticket({ headers }: Head, body: Buffer): Acceptance {
    const key = `ticket ${headers["idempotency-key"] ?? crypto.randomUUID()}`;
    const replayed = this.#made.has(key);
    const text = this.#once(key, () => {
      const { title } = JSON.parse(body.toString()) as { title: string };
      const ids = { id: Bun.randomUUIDv7(), projectId: Bun.randomUUIDv7(), boardId: Bun.randomUUIDv7() };
      const made = { ...ids, columnId: Bun.randomUUIDv7(), title, createdAt: new Date().toISOString() };
      return JSON.stringify({ ...made, url: `https://intake.example.org/cards/${ids.id}` });
    });
    return { status: 201, headers: replayed ? { "idempotent-replayed": "true" } : {}, body: text };
  }

  async #report({ headers }: Head, body: Buffer): Promise<Acceptance> {
    const key = `report ${await reportIdOf(headers["content-type"] ?? "", body)}`;
    const idempotent = this.#made.has(key);
    const eventId = this.#once(key, () => Bun.randomUUIDv7());
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ status: "received", eventId, deliveryCount: 0, idempotent }),
    };
  }

  #once(key: string, make: () => string): string {
    const made = this.#made.get(key) ?? make();
    this.#made.set(key, made);
    return made;
  }
}

async function reportIdOf(contentType: string, body: Buffer): Promise<string> {
  const form = await new Response(Uint8Array.from(body), { headers: { "content-type": contentType } }).formData();
  const part = form.get("envelope");
  if (!(part instanceof Blob)) throw new Error("the envelope is not a part with a file name");
  const bytes = Buffer.from(await part.arrayBuffer());
  const envelope = JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()) as { reportId: string };
  return envelope.reportId;
}
