import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Brand } from "./brand.tsx";
import { Icon } from "./icon.tsx";

/** A page without a session (sign-in, invitation): one sheet in the middle, torn off like a ticket. */
export function Entry({
  title,
  intro,
  children,
  foot,
}: {
  title: string;
  intro?: ComponentChildren;
  children?: ComponentChildren;
  foot?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Intake`;
  }, [title]);
  return (
    <main id="main" class="entry">
      <div class="dialog">
        <div class="top">
          <div class="brand">
            <Brand />
            Intake
          </div>
          <h1>{title}</h1>
          {intro !== undefined && <p>{intro}</p>}
        </div>
        <div class="tear-line" aria-hidden="true" />
        <div class="dialog-body">
          {children !== undefined && <div class="rest">{children}</div>}
          {foot !== undefined && <footer>{foot}</footer>}
        </div>
      </div>
    </main>
  );
}

/** Used as a `ref`: focuses the first control of a page. */
export function focusOnce(element: HTMLElement | null) {
  element?.focus();
}

/** An input for a password with a button that shows the typed text, so that no second input is needed. */
export function PasswordField({
  label,
  value,
  onInput,
  fresh = false,
  hint,
  wrong,
  focus = false,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** True for a new password, which the browser may generate. */
  fresh?: boolean;
  hint?: ComponentChildren;
  wrong?: string | undefined;
  focus?: boolean;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (focus || wrong !== undefined) input.current?.focus();
  }, [wrong]);
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <span class="field">
        <input
          id={id}
          ref={input}
          // The types allow a fixed type of input only, and this one changes.
          type={(seen ? "text" : "password") as "password"}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          autocomplete={fresh ? "new-password" : "current-password"}
          aria-describedby={`${id}-hint ${id}-wrong`}
          aria-invalid={wrong !== undefined}
          autocapitalize="off"
          spellcheck={false}
          required
        />
        <button
          type="button"
          class="btn ghost"
          aria-pressed={seen}
          aria-label={`Show ${label.toLowerCase()}`}
          onClick={() => setSeen(!seen)}
        >
          {seen ? "Hide" : "Show"}
        </button>
      </span>
      <small id={`${id}-hint`} class="dim">
        {hint}
      </small>
      <small id={`${id}-wrong`} class="text-err" role={wrong === undefined ? undefined : "alert"}>
        {wrong !== undefined && (
          <span class="row gap-5">
            <Icon name="alert" small />
            <span>{wrong}</span>
          </span>
        )}
      </small>
    </div>
  );
}
