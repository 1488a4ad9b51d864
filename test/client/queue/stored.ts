import { listEvents } from "../../../server/ingest/list-events.ts";
import { storedEnvelope } from "../../support/ingest.ts";
import type { Installation } from "../../support/installation.ts";
import type { SentEnvelope } from "../cases/form.ts";

/** The envelopes that were read already, by the id of their event: an envelope is stored once and never changes. */
const known = new Map<string, SentEnvelope>();

/** The envelopes of all events of the project, in the order in which they were received. */
export async function storedEnvelopes(installation: Installation): Promise<SentEnvelope[]> {
  const { ctx, made } = installation;
  const envelopes: SentEnvelope[] = [];
  let cursor: string | undefined;
  do {
    const page = await listEvents({ ctx, input: { projectId: made.project.id, limit: 200, cursor } });
    for (const { id } of page.items) {
      const envelope =
        known.get(id) ?? (JSON.parse(Buffer.from(await storedEnvelope(installation, id)).toString()) as SentEnvelope);
      known.set(id, envelope);
      envelopes.push(envelope);
    }
    cursor = page.next ?? undefined;
  } while (cursor);
  return envelopes.reverse();
}
