import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { say } from "../core/say.ts";

/** A dialog in a chunk of its own, because most visits never open it. */
export function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  return function LazyDialog(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props>>();
    useEffect(() => {
      load().then(
        (module) => setLoaded(() => module.default),
        () => {
          props.onClose();
          say("This could not be loaded. Check the connection.", { bad: true });
        },
      );
    }, []);
    return Loaded ? <Loaded {...props} /> : null;
  };
}
