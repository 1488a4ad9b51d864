import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A label, what is typed, a hint and what is wrong with it, tied together for screen readers. */
export function Field({
  label,
  hint,
  wrong,
  children,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  wrong?: string | undefined;
  /** Given the attributes that tie it to its words. */
  children: (tied: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint ${id}-wrong`, "aria-invalid": wrong !== undefined })}
      <small id={`${id}-hint`} class="dim">
        {hint}
      </small>
      <small id={`${id}-wrong`} class="t-err" role={wrong === undefined ? undefined : "alert"}>
        {wrong}
      </small>
    </div>
  );
}
