import { fillDatabase, inserter, patternOf } from "../fill-database.ts";

/** Each event is like the first in all columns of its rows, with ids, digests, a user and a time of its own. */
export function fill(database: string, rows: number) {
  fillDatabase(database, { rows, what: "events" }, (db) => {
    const receipt = patternOf(db, "receipt");
    const event = patternOf(db, "event");
    const envelope = patternOf(db, "envelope");
    const [addReceipt, addEvent, addEnvelope] = [
      inserter(db, "receipt"),
      inserter(db, "event"),
      inserter(db, "envelope"),
    ];
    db.run("update project_usage set events = events + ?1, bytes = bytes + ?1 * ?2", [
      rows - 1,
      Number(event["stored_bytes"]),
    ]);
    return (i) => {
      // In the past: what the server adds later comes behind it.
      const time = Number(event["received_at"]) - rows + i;
      const id = Bun.randomUUIDv7("hex", time);
      const reportId = crypto.randomUUID();
      const digest = crypto.getRandomValues(Buffer.alloc(32));
      const binding = bindingOf(receipt["binding"] as Uint8Array, reportId);
      addReceipt({ ...receipt, binding, event_id: id, digest, received_at: time });
      const user = { user_id: `u-${i % 90_000}`, user_email: `user${i % 90_000}@example.org` };
      addEvent({ ...event, ...user, id, report_id: reportId, digest: digest.toString("hex"), received_at: time });
      addEnvelope({ ...envelope, event_id: id });
    };
  });
}

const [projectBytes, prefixBytes] = [4, 20];

/** The project of the first one, this report id, and random bytes for those that stand for the content. */
function bindingOf(first: Uint8Array, reportId: string): Uint8Array {
  const binding = crypto.getRandomValues(new Uint8Array(first.length));
  binding.set(first.subarray(0, projectBytes));
  binding.set(Uint8Array.fromHex(reportId.replaceAll("-", "")), projectBytes);
  if (first.length < prefixBytes) throw new Error("receipts have changed: fill.ts has to follow them");
  return binding;
}
