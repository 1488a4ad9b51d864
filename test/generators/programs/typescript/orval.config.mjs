export default {
  intake: {
    input: "openapi.json",
    output: {
      target: "client/intake.ts",
      client: "fetch",
      headers: true,
      override: { mutator: { path: "orval-fetch.ts", name: "orvalFetch" } },
    },
  },
};
