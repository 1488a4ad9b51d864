import { type Static, Type } from "@sinclair/typebox";
import { closed } from "../http/internal-schema.ts";

/** Text in base64url, whose length is bounded. */
const bytes = (max: number) => Type.String({ maxLength: max, pattern: "^[A-Za-z0-9_-]*$" });

/** What a browser gives for a new passkey. */
export const registration = closed({
  id: bytes(1_400),
  clientDataJSON: bytes(8_192),
  attestationObject: bytes(65_536),
  transports: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 }),
});

/** What a browser gives of a passkey that has signed. */
export const assertion = closed({
  id: bytes(1_400),
  clientDataJSON: bytes(8_192),
  authenticatorData: bytes(16_384),
  signature: bytes(4_096),
  userHandle: Type.Optional(bytes(128)),
});

export type Registration = Static<typeof registration>;
export type Assertion = Static<typeof assertion>;
