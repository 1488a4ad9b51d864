import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { Note } from "../../parts/note.tsx";

/** The progress of a running replay, with a button that stops it. */
export function ReplayNote({ id }: { id: string }) {
  const { data, reload } = useLoad(
    `replaying ${id}`,
    async () => (await done(api.subscribers({ id }).replay.get())).progress,
    { kinds: ["delivery"], about: (change) => change.id === id },
  );
  if (data?.state !== "running") return null;

  async function stop() {
    try {
      await done(api.subscribers({ id }).replay.delete());
      reload();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  return (
    <div class="note-row" role="status">
      <Note
        tone="info"
        action={
          <button type="button" class="btn right" onClick={stop}>
            Stop
          </button>
        }
      >
        {data.of === "dead" ? "Replaying what was given up" : "Queueing what was missed"}:{" "}
        {plural(data.replayed, "delivery", "deliveries")} so far.
      </Note>
    </div>
  );
}
