/** A route at a fixed path, answered without Elysia, which is loaded only for other routes. */
export interface DirectRoute {
  method: "GET" | "POST" | "OPTIONS";
  path: string;
  answer: (request: Request) => Response | Promise<Response>;
}
