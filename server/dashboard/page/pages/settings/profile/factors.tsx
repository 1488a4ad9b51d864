import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { plural } from "../../../core/format.ts";
import { failureOf, useLoad } from "../../../core/load.ts";
import { passkeysWork } from "../../../core/passkeys.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { lazyDialog } from "../../../parts/lazy.tsx";
import { Note } from "../../../parts/note.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { AppDialogProps } from "./app-dialog.tsx";
import { NewPasskey, RemoveFactor, RenamePasskey } from "./passkey-dialogs.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

const AppDialog = lazyDialog<AppDialogProps>(() => import("./app-dialog.tsx"));

type Open =
  | { add: true }
  | { rename: { id: string; name: string } }
  | { remove: { id?: string; name: string } }
  | { app: true }
  | { codes: string[] };

/** Passkeys, authenticator app and recovery codes of the signed-in person. */
export function Factors({
  alone = false,
  onEnrolled,
}: {
  /** On a page of its own. */ alone?: boolean;
  onEnrolled?: () => void;
}) {
  const factors = useLoad("factors", () => done(api.me.factors.get()), { kinds: ["member"] });
  const [open, setOpen] = useState<Open>();
  const [failed, setFailed] = useState<string>();
  if (!factors.data) return factors.failed ? <Note tone="err">{factors.failed.message}</Note> : null;
  const { app, passkeys, recoveryCodes } = factors.data;
  const has = app !== "no" || passkeys.length > 0;

  function close() {
    setOpen(undefined);
    factors.reload();
  }

  function enrolled(codes: string[] | null) {
    if (codes) return setOpen({ codes });
    close();
    onEnrolled?.();
  }

  async function renew() {
    setFailed(undefined);
    try {
      const answer = await sensitive(() => done(api.me["recovery-codes"].post({})));
      setOpen({ codes: answer.recoveryCodes });
    } catch (error) {
      setFailed(failureOf(error).message);
    }
  }

  return (
    <section class={alone ? "stack" : "sheet padded stack"} aria-label="Passkeys and second factor">
      {!alone && <h2>Passkeys and second factor</h2>}
      <p class="soft">
        {has
          ? "Your password alone signs nobody in: a passkey or a code has to follow. A passkey also signs in without a password."
          : "With a passkey you sign in by a finger, a face or a PIN. With a passkey or an authenticator app, your password alone signs nobody in."}
      </p>
      {failed !== undefined && <Note tone="err">{failed}</Note>}
      <div class="stack">
        {passkeys.map(({ id, name, createdAt, usedAt }) => (
          <div key={id} class="row">
            <span class="stacked">
              <b class="ellipsis" dir="auto" title={name}>
                {name}
              </b>
              <small class="dim">
                passkey, added <Ago at={createdAt} />
                {usedAt !== null && (
                  <>
                    , used <Ago at={usedAt} />
                  </>
                )}
              </small>
            </span>
            <button type="button" class="btn right" onClick={() => setOpen({ rename: { id, name } })}>
              Rename<span class="sr-only"> {name}</span>
            </button>
            <button type="button" class="btn" onClick={() => setOpen({ remove: { id, name } })}>
              Remove<span class="sr-only"> {name}</span>
            </button>
          </div>
        ))}
        {app !== "no" && (
          <div class="row">
            <span class="stacked">
              <b>Authenticator app</b>
              <small class={app === "lost" ? "text-err" : "dim"}>
                {app === "lost" ? "its secret was lost on the server: set it up again" : "gives codes of six digits"}
              </small>
            </span>
            <button
              type="button"
              class="btn right"
              onClick={() => setOpen({ remove: { name: "the authenticator app" } })}
            >
              Remove<span class="sr-only"> the authenticator app</span>
            </button>
          </div>
        )}
        {has && (
          <div class="row">
            <span class="stacked">
              <b>Recovery codes</b>
              <small class={recoveryCodes < 3 ? "text-warn" : "dim"}>{plural(recoveryCodes, "code")} left</small>
            </span>
            <button type="button" class="btn right" onClick={renew}>
              Make new ones<span class="sr-only"> (recovery codes)</span>
            </button>
          </div>
        )}
      </div>
      {!passkeysWork() && (
        <p class="dim">
          Passkeys work over https at the public address of this installation, in a browser that has them.
        </p>
      )}
      <div class="row">
        {passkeysWork() && (
          <button type="button" class="btn primary" onClick={() => setOpen({ add: true })}>
            Add a passkey
          </button>
        )}
        {app !== "yes" && (
          <button type="button" class="btn" onClick={() => setOpen({ app: true })}>
            Set up an authenticator app
          </button>
        )}
      </div>
      {open && "add" in open && <NewPasskey onDone={enrolled} onClose={close} />}
      {open && "app" in open && <AppDialog onDone={enrolled} onClose={close} />}
      {open && "rename" in open && <RenamePasskey passkey={open.rename} onClose={close} />}
      {open && "remove" in open && (
        <RemoveFactor
          factor={open.remove}
          onDone={() => say(`You sign in with ${open.remove.name} no more.`)}
          onClose={close}
        />
      )}
      {open && "codes" in open && (
        <RecoveryCodes
          codes={open.codes}
          onClose={() => {
            close();
            onEnrolled?.();
          }}
        />
      )}
    </section>
  );
}
