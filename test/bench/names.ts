/** Of the contestants, in every table. */
export const names = {
  intake: "intake",
  bare: "bare Bun.serve",
  fastify: "Fastify",
  fastifyGrouped: "Fastify, grouped",
} as const;
