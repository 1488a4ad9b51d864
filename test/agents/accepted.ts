/** A call of a runner that the server accepted. Times are milliseconds since 1970. */
export interface Accepted {
  run: string;
  lease: string;
  call: "claim" | "heartbeat" | "log" | "complete";
  sent: number;
  answered: number;
  /** With a claim: which attempt of the run was claimed. */
  attempt?: number;
  /** With a completion: the credits that were used. */
  used?: number;
}
