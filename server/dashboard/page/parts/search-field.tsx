import { useEffect, useRef, useState } from "preact/hooks";
import { useShortcuts } from "../core/keys.ts";
import { Icon } from "./icon.tsx";

const pauseMilliseconds = 200;

/** A field that searches this page. It reports the text when the person pauses; `/` moves the focus to it. */
export function SearchField({
  label,
  value,
  onValue,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  useShortcuts([{ keys: "/", does: label, run: () => input.current?.focus() }]);
  return (
    <label class="field width-280">
      <Icon name="search" small />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          clearTimeout(pause.current);
          pause.current = setTimeout(() => onValue(typed), pauseMilliseconds);
        }}
      />
    </label>
  );
}
