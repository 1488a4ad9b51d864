/**
 * The kinds of stored things whose changes open pages hear of, each with the role that a member needs to hear of it.
 */
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
  /** Storage has begun to refuse writes, or accepts them again. */
  storage: "member",
  subscriber: "member",
  delivery: "admin",
  token: "admin",
  request: "admin",
  /** An API request was answered; the list of recent requests shows it. */
  arrival: "admin",
  credits: "admin",
  /** A backup has begun, gone on or ended. */
  backup: "admin",
  notice: "admin",
  provider: "admin",
} as const satisfies Record<string, "member" | "admin">;

export type ChangeKind = keyof typeof changeKinds;

/** Says that something stored has changed, without its contents: pages that show it fetch it again. */
export interface ChangeEvent {
  kind: ChangeKind;
  id: string;
  /** The parent: the board of a card, the project of a board or report, the subscriber of a delivery. */
  in?: string;
  /** A project or board was deleted with everything in it: every open page checks whether it shows part of it. */
  gone?: true;
}
