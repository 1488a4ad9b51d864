import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A label, an input, a hint and an error, tied together for screen readers. */
export function Field({
  label,
  hint,
  wrong,
  children,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  wrong?: string | undefined;
  /** Renders the input with the attributes that tie it to its label, hint and error. */
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
      <small id={`${id}-wrong`} class="text-err" role={wrong === undefined ? undefined : "alert"}>
        {wrong}
      </small>
    </div>
  );
}
