import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Rendered } from "./markdown-tree.tsx";

/** The Markdown renderer, loaded with the first text that needs it. */
const loaded = signal<typeof Rendered | undefined>(undefined);

/** Shows Markdown as elements. Until the renderer is loaded the text is shown as it was typed. */
export function Markdown({ text, names, below }: { text: string; names?: readonly string[]; below?: number }) {
  useEffect(() => {
    if (loaded.value) return;
    import("./markdown-tree.tsx").then(
      ({ Rendered }) => {
        loaded.value = Rendered;
      },
      () => {},
    );
  }, []);
  const Rendered = loaded.value;
  return Rendered ? (
    <Rendered text={text} names={names} below={below} />
  ) : (
    <div class="markdown typed" dir="auto">
      {text}
    </div>
  );
}
