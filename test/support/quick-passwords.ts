import { afterAll, beforeAll } from "bun:test";
import { adminHash, adminPassword } from "./installation.ts";

/**
 * Makes the passwords of servers in this process quick to hash and check while the tests of this file run: they are
 * about who may try, and what follows, and the full cost of each try is a tenth of a second of processor time. Hashes
 * say the cost that the server asked for, so that a test may look at it; a hash of another process matches nothing.
 */
export function quickPasswords() {
  const { hash, verify } = Bun.password;
  beforeAll(() => {
    Object.assign(Bun.password, {
      hash: async (password: string) => (await hash(password, quick)).replace(says.quick, says.full),
      verify: async (password: string, text: string) =>
        text === adminHash ? password === adminPassword : verify(password, text.replace(says.full, says.quick)),
    });
  });
  afterAll(() => {
    Object.assign(Bun.password, { hash, verify });
  });
}

const quick = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const says = { quick: "$m=8,t=1,", full: "$m=65536,t=3," };
