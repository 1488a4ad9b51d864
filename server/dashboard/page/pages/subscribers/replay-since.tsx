import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { useLoad } from "../../core/load.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { MomentField } from "../../parts/moment-field.tsx";
import { localTime, utcOf } from "./local-time.ts";
import type { Subscriber } from "./subscriber.ts";

const dayMilliseconds = 86_400_000;

/** The dialog that sends all deliveries again that were given up since a time. It counts them first. */
export function ReplaySince({ subscriber: { id, name }, onClose }: { subscriber: Subscriber; onClose: () => void }) {
  const [text, setText] = useState(localTime(Date.now() - dayMilliseconds));
  const since = utcOf(text);
  const { data, failed } = useLoad(`replay ${id} ${since}`, async () =>
    since === undefined ? null : (await done(api.subscribers({ id }).replay.get({ query: { since } }))).preview,
  );
  return (
    <FormDialog
      title={<span dir="auto">Replay to {name}</span>}
      verb="Replay"
      ready={data !== undefined && data !== null && data.count > 0}
      onSubmit={async () => {
        if (since !== undefined) await done(api.subscribers({ id }).replay.post({ since }));
        onClose();
      }}
      onClose={onClose}
    >
      <MomentField
        label="Given up since"
        hint="In your time zone. Deliveries of deleted reports are gone."
        value={text}
        onValue={setText}
        focused
      />
      <p role="status">
        {failed?.message}
        {data &&
          (data.count === 0 ? (
            "Nothing was given up since then."
          ) : (
            <>
              Replays{" "}
              <b>
                {data.more && "more than "}
                {plural(data.count, "delivery", "deliveries")}
              </b>
              , in the background. Receivers may see a report again with the same webhook-id.
            </>
          ))}
        {data === null && "Choose a time."}
      </p>
    </FormDialog>
  );
}
