import { readStored } from "../../core/bytes.ts";
import { useLoad } from "../../core/load.ts";
import { Shown } from "../../parts/states.tsx";
import { LazyTree } from "./envelope/lazy.tsx";

/** The elements that were on the screen, as a tree. */
export function ViewHierarchy({ address }: { address: string }) {
  const loaded = useLoad(address, () => readStored(address));
  return (
    <Shown loaded={loaded} rows={4} rowHeight={22}>
      {(text) => <LazyTree text={text} label="View hierarchy" marks={new Map()} />}
    </Shown>
  );
}
