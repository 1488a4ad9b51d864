/** A call of a runner that the server accepted. Times are milliseconds since 1970. */
export interface Accepted {
  run: string;
  lease: string;
  call: "claim" | "heartbeat" | "log" | "complete";
  sent: number;
  answered: number;
  /** Of a claim: which attempt of the run it is. */
  attempt?: number;
  /** Credits, of a completion. */
  used?: number;
}
