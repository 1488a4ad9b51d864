import { Fragment } from "preact";

/**
 * The keys of a shortcut: keys that are held together stand side by side, presses one after the other have a word
 * between them.
 */
export function Keys({ presses }: { presses: readonly (readonly string[])[] }) {
  return (
    <>
      {presses.map((press, i) => (
        <Fragment key={`${i} ${press.join()}`}>
          {i > 0 && <span class="dim">then</span>}
          {press.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </Fragment>
      ))}
    </>
  );
}
