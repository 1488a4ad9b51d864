import { useRef, useState } from "preact/hooks";
import { copy } from "../core/copy.ts";
import { speak } from "../core/say.ts";
import { Icon } from "./icon.tsx";

const copiedMilliseconds = 2_000;

/**
 * A button that copies a text. It says "Copied" only when the browser reports success; otherwise it selects the text
 * and says which keys to press.
 */
export function CopyButton({
  text,
  label = "Copy",
  class: name = "btn",
  target,
  focus = false,
  onCopied,
}: {
  /** A function for a long text, which is then made only when it is copied. */
  text: string | (() => string);
  label?: string;
  class?: string;
  /** The element whose text is selected when copying fails. */
  target?: () => HTMLElement | null | undefined;
  focus?: boolean;
  onCopied?: () => void;
}) {
  const [state, setState] = useState<"" | "copied" | "marked">("");
  async function run() {
    const copied = await copy(typeof text === "string" ? text : text(), target?.());
    setState(copied ? "copied" : "marked");
    speak(copied ? "Copied" : "Press Ctrl+C to copy");
    if (copied) onCopied?.();
    setTimeout(() => setState(""), copiedMilliseconds);
  }
  return (
    <button type="button" class={name} onClick={run} data-focus={focus || undefined}>
      <Icon name={state === "copied" ? "check" : "copy"} small />
      {state === "copied" ? "Copied" : state === "marked" ? "Press Ctrl+C" : label}
    </button>
  );
}

/** A command or snippet with a button that copies it. */
export function CopyBlock({ text, label }: { text: string; label?: string }) {
  const code = useRef<HTMLElement>(null);
  return (
    <div class="code-block">
      <CopyButton text={text} target={() => code.current} {...(label ? { label } : {})} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
    </div>
  );
}
