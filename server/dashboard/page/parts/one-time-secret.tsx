import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { leaving } from "../core/router.ts";
import { Confirm } from "./confirm.tsx";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

/**
 * Shows a secret once. Only this component holds the secret: it is in no store, address, title or log. A person who
 * closes it without having copied the secret is asked first.
 */
export function OneTimeSecret({
  title,
  intro,
  secret,
  what,
  parts,
  children,
  onClose,
}: {
  title: ComponentChildren;
  intro: ComponentChildren;
  secret: string;
  /** "token", "secret" */
  what: string;
  /** The two positions at which the secret is divided, to be read more easily. */
  parts: readonly [number, number];
  children?: ComponentChildren;
  onClose: () => void;
}) {
  const code = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  const [asking, setAsking] = useState(false);
  const close = copied ? onClose : () => setAsking(true);

  useEffect(() => {
    if (copied) return;
    const unload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", unload);
    leaving.value = () => {
      setAsking(true);
      return false;
    };
    return () => {
      removeEventListener("beforeunload", unload);
      leaving.value = undefined;
    };
  }, [copied]);

  return (
    <>
      <Dialog
        title={title}
        intro={intro}
        onClose={close}
        footer={
          <>
            <span class={`row ${copied ? "text-ok" : "dim"}`} role="status">
              <Icon name={copied ? "check" : "info"} small />
              {copied ? "Copied" : "Not copied yet"}
            </span>
            <button type="button" class="btn right" onClick={close}>
              Close
            </button>
          </>
        }
      >
        <div class="secret">
          <code ref={code}>
            <i>{secret.slice(0, parts[0])}</i>
            {secret.slice(parts[0], parts[1])}
            <i>{secret.slice(parts[1])}</i>
          </code>
          <CopyButton
            text={secret}
            label={`Copy ${what}`}
            class="btn primary large"
            target={() => code.current}
            focus
            onCopied={() => setCopied(true)}
          />
        </div>
        {children}
      </Dialog>
      {asking && (
        <Confirm
          title="Close without copying?"
          verb="Close anyway"
          onConfirm={() => Promise.resolve(onClose())}
          onClose={() => setAsking(false)}
        >
          <p>The {what} cannot be shown again.</p>
        </Confirm>
      )}
    </>
  );
}
