import { Fragment } from "preact";

/** The keys of a shortcut: what is held together side by side, one press after the other with a word between. */
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
