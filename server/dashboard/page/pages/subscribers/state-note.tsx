import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { now } from "../../core/time.ts";
import { Note } from "../../parts/note.tsx";
import { Ago } from "../../parts/time.tsx";
import { countWords, inWords, type Subscriber, whenWords } from "./subscriber.ts";

/** Says why nothing is sent at the moment, what happens to the waiting deliveries, and what can be done. */
export function StateNote({ subscriber, onEnable }: { subscriber: Subscriber; onEnable: () => void }) {
  const {
    id,
    subscriberStatus: status,
    failures,
    failingSince,
    waiting,
    nextProbeAt,
    disabledAt,
    pausedBy,
    reason,
    lastSuccessAt,
    previousUntil,
  } = subscriber;

  async function act(what: "probe" | "resume", notice: string) {
    try {
      await done(api.subscribers({ id })[what].post({}));
      say(notice);
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  return (
    <>
      {status === "active" && failures > 0 && (
        <div class="note-row">
          <Note>
            <b class="strong">
              {failures === 1 ? "The last attempt failed" : `The last ${failures} attempts failed`}
              {failingSince !== null && <>, since {whenWords(failingSince)}</>}.
            </b>{" "}
            After five in a row Intake backs off and sends one probe at a time.
          </Note>
        </div>
      )}
      {status === "backing_off" && (
        <div class="note-row">
          <Note
            action={
              <button type="button" class="btn right" onClick={() => act("probe", "The next attempt leaves now.")}>
                Probe now
              </button>
            }
          >
            <b class="strong">
              {plural(failures, "failure")} in a row{failingSince !== null && <> since {whenWords(failingSince)}</>}.
            </b>{" "}
            Intake sends one probe at a time
            {nextProbeAt !== null && <>; the next leaves {inWords(nextProbeAt, now.value)}</>}.{" "}
            {waiting === 1 ? "1 delivery waits and loses" : `${countWords(waiting)} deliveries wait and lose`} no
            attempt.
            {disabledAt !== null && <> Without a success the subscriber is disabled on {whenWords(disabledAt)}.</>}
          </Note>
        </div>
      )}
      {status === "paused" && (
        <div class="note-row">
          <Note
            tone="info"
            action={
              <button type="button" class="btn right" onClick={() => act("resume", "Resumed. What waited goes out.")}>
                Resume
              </button>
            }
          >
            <b class="strong" dir="auto">
              Paused{pausedBy === null ? "" : ` by ${pausedBy.name}`}.
            </b>{" "}
            {pausedBy !== null && (
              <>
                <Ago at={pausedBy.at} />.{" "}
              </>
            )}
            Deliveries are kept and go out on resume.
          </Note>
        </div>
      )}
      {status === "disabled" && (
        <div class="note-row">
          <Note
            tone="err"
            action={
              <button type="button" class="btn right" onClick={onEnable}>
                Enable…
              </button>
            }
          >
            <b class="strong">Disabled: {reason ?? "by an admin"}.</b>{" "}
            {lastSuccessAt === null ? "It never accepted anything. " : `Last success ${whenWords(lastSuccessAt)}. `}
            Reports that came since it was disabled are not queued here; enabling it can send them.
          </Note>
        </div>
      )}
      {previousUntil !== null && (
        <div class="note-row">
          <Note tone="info">Both secrets sign until {whenWords(previousUntil)}.</Note>
        </div>
      )}
    </>
  );
}
