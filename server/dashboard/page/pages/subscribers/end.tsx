import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { go } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { SecretReady } from "./secret-ready.tsx";
import { removeSubscriber, type Subscriber } from "./subscriber.ts";

export function RotateSecret({ subscriber, onClose }: { subscriber: Subscriber; onClose: () => void }) {
  const [made, setMade] = useState<{ secret: string; previousUntil: string | null }>();
  if (made) return <SecretReady {...made} onClose={onClose} />;
  return (
    <FormDialog
      title={<span dir="auto">Rotate the secret of {subscriber.name}</span>}
      verb="Rotate secret"
      onSubmit={async () => {
        setMade(await sensitive(() => done(api.subscribers({ id: subscriber.id }).rotate.post({}))));
      }}
      onClose={onClose}
    >
      <p>
        A new secret is made and shown once. For 24 hours the old one signs too, so that the receiver can change over at
        any time between.
      </p>
    </FormDialog>
  );
}

export function RemoveSubscriber({ subscriber, onClose }: { subscriber: Subscriber; onClose: () => void }) {
  const { id, name, waiting } = subscriber;
  return (
    <Confirm
      title={
        <span dir="auto">
          Remove <i>{name}</i>?
        </span>
      }
      verb="Remove subscriber"
      typed={name}
      onConfirm={async () => {
        await sensitive(() => removeSubscriber(id));
        say("The subscriber is removed.");
        go("/subscribers");
      }}
      onClose={onClose}
    >
      <p>
        Its deliveries go with it{waiting > 0 && `, ${plural(waiting, "waiting one")} too`}. Reports stay. This cannot
        be undone.
      </p>
    </Confirm>
  );
}
