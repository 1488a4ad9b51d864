/** Kinds of things that can be found, in the order in which they are shown. */
export const hitKinds = ["card", "report", "board", "project", "member", "token", "key", "subscriber", "run"] as const;
export type HitKind = (typeof hitKinds)[number];

/** Something that was found, and where it is shown. */
export interface Hit {
  id: string;
  title: string;
  /** Name of the board, project or other place that the thing belongs to. */
  where: string | null;
  href: string;
  /** True when the search text was the id of the thing. */
  exact: boolean;
}

export interface HitGroup {
  kind: HitKind;
  items: Hit[];
}
