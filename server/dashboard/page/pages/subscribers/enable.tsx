import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { MomentField } from "../../parts/moment-field.tsx";
import { localTime, utcOf } from "./local-time.ts";
import type { Subscriber } from "./subscriber.ts";

const dayMilliseconds = 86_400_000;

/**
 * The dialog that enables a disabled subscriber and can also send what it missed since a time, which is counted first.
 */
export function EnableSubscriber({ subscriber, onClose }: { subscriber: Subscriber; onClose: () => void }) {
  const { id, name, types, lastSuccessAt, waiting } = subscriber;
  const toldOfReports = types.includes("report.received");
  const [missed, setMissed] = useState(toldOfReports);
  const [text, setText] = useState(
    localTime(lastSuccessAt === null ? Date.now() - dayMilliseconds : Date.parse(lastSuccessAt)),
  );
  const since = missed ? utcOf(text) : undefined;
  const { data, failed } = useLoad(`missed ${id} ${since}`, async () =>
    since === undefined ? null : done(api.subscribers({ id }).missed.get({ query: { since } })),
  );
  return (
    <FormDialog
      title={<span dir="auto">Enable {name}</span>}
      intro={
        waiting === 0
          ? "It begins as if nothing had failed."
          : `It begins as if nothing had failed. ${plural(waiting, "delivery that waits goes", "deliveries that wait go")} out.`
      }
      verb={data && data.count > 0 ? "Enable and send" : "Enable"}
      ready={!missed || (data !== undefined && data !== null)}
      onSubmit={async () => {
        await sensitive(() => done(api.subscribers({ id }).enable.post(since === undefined ? {} : { since })));
        say("Enabled, as if nothing had failed.");
        onClose();
      }}
      onClose={onClose}
    >
      {toldOfReports && (
        <>
          <label class="row">
            <input type="checkbox" checked={missed} onChange={() => setMissed(!missed)} />
            Send what was missed while it was disabled
          </label>
          <MomentField
            label="Missed since"
            hint="In your time zone. Reports that it has a delivery of are not sent again."
            value={text}
            onValue={setText}
            focused
            disabled={!missed}
          />
          <p role="status">
            {!missed && "Reports that came while it was disabled are not sent."}
            {missed && since === undefined && "Choose a time."}
            {missed && failed?.message}
            {missed && data && <Missed {...data} />}
          </p>
        </>
      )}
    </FormDialog>
  );
}

function Missed({ count, more }: { count: number; more: boolean }) {
  if (count === 0 && !more) return "It has missed nothing since then.";
  return (
    <>
      Sends{" "}
      <b>
        {more && "more than "}
        {plural(count, "report")}
      </b>
      , oldest first, in the background.
    </>
  );
}
