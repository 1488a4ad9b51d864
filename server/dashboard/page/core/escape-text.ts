import { type ComponentChildren, options, type VNode } from "preact";
import { escapeInvisible } from "../../../text/escape-invisible.ts";

/**
 * Every text that a page renders passes through here: in names, titles, messages and file names, characters that hide
 * or reverse text are shown as their code points. Typed, copied and sent text stays unchanged.
 */
export function escapeDrawnText() {
  const before = options.vnode;
  options.vnode = (vnode) => {
    escapeIn(vnode);
    before?.(vnode);
  };
}

/** Attributes that people read, and the name under which a file is saved. */
const read = ["title", "aria-label", "alt", "placeholder", "label", "download"];

function escapeIn({ type, props }: VNode<Record<string, unknown>>) {
  if (typeof props !== "object" || props === null) return;
  const children = props["children"] as ComponentChildren;
  if (children !== undefined) props["children"] = escaped(children);
  if (typeof type !== "string") return;
  for (const name of read) {
    const value = props[name];
    if (typeof value === "string") props[name] = escapeInvisible(value);
  }
}

function escaped(children: ComponentChildren): ComponentChildren {
  if (typeof children === "string") return escapeInvisible(children);
  if (!Array.isArray(children)) return children;
  // Most texts have nothing to escape and are returned as they are.
  const now = children.map(escaped);
  return now.every((child, i) => child === children[i]) ? children : now;
}
