import { type ComponentChildren, options, type VNode } from "preact";
import { escapeInvisible } from "../../../text/escape-invisible.ts";

/**
 * Every text that any page draws passes here: names, titles, messages and file names from others show characters that
 * hide or turn text round as their code points. What is typed, copied and sent stays as it is.
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
  // Most have nothing to escape, and are kept as they are.
  const now = children.map(escaped);
  return now.every((child, i) => child === children[i]) ? children : now;
}
