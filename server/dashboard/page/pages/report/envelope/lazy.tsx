import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ReportDetail } from "../../reports/types.ts";
import type { TreeProps } from "./tree.tsx";

/** Loads the tree in a chunk of its own, because most reports are read without it. */
function lazy<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return function Lazy(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | "failed">();
    useEffect(() => {
      load().then(
        (module) => setLoaded(() => module.default),
        () => setLoaded("failed"),
      );
    }, []);
    if (Loaded === "failed") return <p role="alert">This part could not be loaded. Reload the page.</p>;
    return Loaded ? <Loaded {...props} /> : <div aria-busy="true" style={{ minHeight: "200px" }} />;
  };
}

export const EnvelopeTab = lazy<{ report: ReportDetail }>(() => import("./envelope.tsx"));

export const LazyTree = lazy<TreeProps>(() => import("./tree.tsx"));
