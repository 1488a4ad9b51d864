/** Kinds of things that pages show. What only admins may see is told to admins only. */
export const changeKinds = {
  project: "member",
  board: "member",
  card: "member",
  report: "member",
  run: "member",
  repository: "member",
  key: "member",
  member: "member",
  organisation: "member",
  /** Storage began to refuse writes, or accepts them again. */
  storage: "member",
  subscriber: "member",
  delivery: "admin",
  token: "admin",
  request: "admin",
  /** An API request was answered: for the list of recent requests. */
  arrival: "admin",
  credits: "admin",
} as const satisfies Record<string, "member" | "admin">;

export type ChangeKind = keyof typeof changeKinds;

/** Says that something stored has changed, without its contents: pages that show it fetch it again. */
export interface ChangeEvent {
  kind: ChangeKind;
  id: string;
  /** What it lies in: the board of a card, the project of a board or report, the subscriber of a delivery. */
  in?: string;
  /** A project or board that was deleted with all that lies in it: every open page looks whether it is concerned. */
  gone?: true;
}
