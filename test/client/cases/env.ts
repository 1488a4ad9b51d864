/** Describes to a script the environment that it runs in. */
export interface Env {
  runtime: string;
  /**
   * The control server: programs fault servers, shows what Intake stored, receives the results. In a browser it has the
   * page's own origin.
   */
  control: string;
  /** The ticket API of the compiled binary. It allows no other origin, so pages reach it through their own. */
  baseUrl: string;
  ingestUrl: string;
  /** Well-formed credentials for the fault server, which the binary does not know. */
  token: string;
  key: string;
  /** Of an answer from another origin, a page sees only the exposed headers. */
  crossOrigin: boolean;
}

/** The sentence that says what is checked; the same in every runtime. */
export type Case = [name: string, check: (env: Env) => Promise<void>];

export interface Result {
  name: string;
  ms: number;
  /** Absent when the case passed. */
  error?: string;
}
