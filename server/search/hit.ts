/** Kinds of things that can be found, in the order in which they are shown. */
export const hitKinds = ["card", "report", "board", "project", "member", "token", "key", "subscriber", "run"] as const;
export type HitKind = (typeof hitKinds)[number];

/** Something that was found, and where it is shown. */
export interface Hit {
  id: string;
  title: string;
  /** What it lies in. */
  where: string | null;
  href: string;
  /** Named by its very id. */
  exact: boolean;
}

export interface HitGroup {
  kind: HitKind;
  items: Hit[];
}
