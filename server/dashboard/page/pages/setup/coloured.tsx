/** Colours commands and quoted texts of a shell command. */
export function Coloured({ text }: { text: string }) {
  const parts = text.split(/("(?:[^"\\\n]|\\.)*"|'[^']*'|\bcurl\b)/);
  return (
    <code>
      {parts.map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          <span key={`${i}`} class={part === "curl" ? "code-name" : "code-string"}>
            {part}
          </span>
        ),
      )}
    </code>
  );
}
