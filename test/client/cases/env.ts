/** What a script is told about where it runs. */
export interface Env {
  runtime: string;
  /** Scripts the fault server, shows what Intake stored, takes the results. In a browser it is the page's own origin. */
  control: string;
  /** The ticket API of the compiled binary. It answers no other origin, so pages reach it through their own. */
  baseUrl: string;
  ingestUrl: string;
  /** Well-formed credentials that the binary knows nothing of, for the fault server. */
  token: string;
  key: string;
  /** A page sees of another origin's answer only what that exposes. */
  crossOrigin: boolean;
}

/** The same in every runtime: what is checked, by its sentence. */
export type Case = [name: string, check: (env: Env) => Promise<void>];

export interface Result {
  name: string;
  ms: number;
  /** Absent when all was well. */
  error?: string;
}
