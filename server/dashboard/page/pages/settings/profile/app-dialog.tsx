import { useEffect, useState } from "preact/hooks";
import { encode } from "uqr";
import { api, done } from "../../../core/api.ts";
import { failureOf } from "../../../core/load.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Note } from "../../../parts/note.tsx";

export interface AppDialogProps {
  /** Receives recovery codes with the first factor. */
  onDone: (codes: string[] | null) => void;
  onClose: () => void;
}

interface Begun {
  secret: string;
  uri: string;
  sealed: string;
}

/** Sets up an authenticator app: shows its secret as a picture and as text, and asks for a first code. */
export default function AppDialog({ onDone, onClose }: AppDialogProps) {
  const [begun, setBegun] = useState<Begun>();
  const [code, setCode] = useState("");
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    sensitive(() => done(api.me.app.secret.post({}))).then(setBegun, (error) => setFailed(failureOf(error).message));
  }, []);

  async function enrol() {
    if (begun) onDone((await done(api.me.app.post({ sealed: begun.sealed, code }))).recoveryCodes);
  }

  return (
    <FormDialog
      title="Set up an authenticator app"
      intro="Scan the picture with the app, or type the key into it. Then give the code that it shows."
      verb="Set up"
      ready={begun !== undefined && /^\s*\d{3}\s*\d{3}\s*$/.test(code)}
      onSubmit={enrol}
      onClose={onClose}
    >
      {failed !== undefined && <Note tone="err">{failed}</Note>}
      {begun && (
        <>
          <QrCode text={begun.uri} />
          <div class="row">
            <code>{begun.secret.match(/.{4}/g)?.join(" ")}</code>
            <CopyButton text={begun.secret} label="Copy key" class="btn right" />
          </div>
          <p>
            <a href={begun.uri}>Open it in an app on this device</a>
          </p>
        </>
      )}
      <Field label="Code of the app" hint="Six digits; they change every 30 seconds.">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              data-focus
              class="mono"
              value={code}
              onInput={(event) => setCode(event.currentTarget.value)}
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={8}
              required
            />
          </span>
        )}
      </Field>
    </FormDialog>
  );
}

/** Dark on light in both themes: readers expect it so. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      width="220"
      height="220"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code with the key of the app"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
