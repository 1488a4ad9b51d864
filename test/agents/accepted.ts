/** A call of a runner that the server accepted. Times are milliseconds since 1970. */
export interface Accepted {
  run: string;
  lease: string;
  call: "claim" | "heartbeat" | "log" | "complete";
  sent: number;
  answered: number;
  /** Credits, of a completion. */
  used?: number;
}
