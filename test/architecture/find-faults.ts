import { dirname } from "node:path";
import type { Import } from "./imports.ts";

/** The faults in the imports of the project, a sentence each; empty when there are none. */
export function findFaults(
  imports: readonly Import[],
  rooms: readonly string[],
  typesUpward: readonly Pick<Import, "from" | "to">[] = [],
): string[] {
  const allowed = ({ from, to, value }: Import) =>
    !value && typesUpward.some((each) => each.from === from && each.to === to);
  const judged = imports.filter((each) => !allowed(each));
  return [...upward(judged, rooms), ...circles(judged)];
}

const roomOf = (file: string) => /^server\/([^/]+)\//.exec(file)?.[1];

function upward(imports: readonly Import[], rooms: readonly string[]): string[] {
  const faults = new Set<string>();
  for (const { from, to } of imports) {
    const [room, other] = [roomOf(from), roomOf(to)];
    for (const each of [room, other]) {
      if (each !== undefined && !rooms.includes(each)) faults.add(`server/${each} is no room that rooms.ts lists`);
    }
    if (room === undefined || other === undefined) continue;
    const [low, high] = [rooms.indexOf(room), rooms.indexOf(other)];
    if (low >= 0 && high > low) faults.add(`${from} imports ${to}: ${room} lies below ${other}`);
  }
  return [...faults].sort();
}

/** Folders that import values of each other, in a ring of any length, with the imports that close it. */
function circles(imports: readonly Import[]): string[] {
  const arrows = new Map<string, Map<string, Import>>();
  for (const each of imports) {
    const [a, b] = [dirname(each.from), dirname(each.to)];
    if (!each.value || a === b) continue;
    const out = arrows.get(a) ?? new Map<string, Import>();
    arrows.set(a, out.set(b, out.get(b) ?? each));
  }
  return strongComponents(new Map([...arrows].map(([folder, out]) => [folder, [...out.keys()]])))
    .filter((ring) => ring.length > 1)
    .map((ring) => {
      const within = ring.flatMap((folder) =>
        [...(arrows.get(folder) ?? [])]
          .filter(([to]) => ring.includes(to))
          .map(([, { from, to }]) => `  ${from} → ${to}`),
      );
      return [`folders import each other in a circle: ${ring.sort().join(", ")}`, ...within.sort()].join("\n");
    });
}

/** Tarjan's algorithm: groups of nodes that all reach one another. */
function strongComponents(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    let low = number;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === number) components.push(stack.splice(stack.indexOf(node)));
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return components;
}
