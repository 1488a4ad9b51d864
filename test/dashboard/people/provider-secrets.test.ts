import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JWK } from "jose";
import { limits } from "../../../openapi/schema/limits.ts";
import { BrowserAtProvider } from "../../support/browser-at-provider.ts";
import { IdentityProvider } from "../../support/identity-provider.ts";
import { PanvaProvider } from "../../support/panva-provider.ts";
import { add, update } from "../../support/providers.ts";
import { describeTargets } from "../../support/targets.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

setDefaultTimeout(180_000);

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const edwards = generateKeyPairSync("ed25519").privateKey;
const unknown = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1") => String(key.export({ type, format: "pem" }));
const jwk = (key: KeyObject, more: JWK) => JSON.stringify({ ...(key.export({ format: "jwk" }) as JWK), ...more });
const publicKey = (key: KeyObject, kid: string) =>
  ({ ...(createPublicKey(pem(key, "pkcs8")).export({ format: "jwk" }) as JWK), kid }) as JWK;

/** Forms in which people have private keys. */
const forms = {
  "PKCS #8": pem(rsa, "pkcs8"),
  "PKCS #1": pem(rsa, "pkcs1"),
  "PKCS #8 of a curve": pem(curve, "pkcs8"),
  "SEC 1": pem(curve, "sec1"),
  Ed25519: pem(edwards, "pkcs8"),
  "a JSON Web Key": jwk(rsa, { kid: "rsa", alg: "PS256" }),
  "a JSON Web Key without a name": jwk(edwards, {}),
};

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

describeTargets(
  "what Intake proves to a provider who it is with",
  (target) => {
    let panva: PanvaProvider;
    let honest: IdentityProvider;
    const file = join(folder, "secret");

    beforeAll(async () => {
      honest = await IdentityProvider.start();
      panva = await PanvaProvider.start({
        redirectUris: [`${target().url}/sign-in/callback/panva`],
        postLogoutUris: [],
        logoutUri: `${target().url}/sign-in/logout/panva`,
        claimsOf: (login) => ({ email: `${login}@example.org`, email_verified: true, name: login }),
        publicKeys: [publicKey(rsa, "rsa"), publicKey(curve, "curve"), publicKey(edwards, "edwards")],
      });
      const { url, signingClientId: clientId } = panva;
      const given = { url, clientId, secret: forms["PKCS #8"] };
      await add(target(), given, "panva", { clientAuth: "private-key", newMembers: "yes" });
      await add(target(), honest, "honest", { newMembers: "yes" });
    });
    afterAll(() => Promise.all([panva.stop(), honest.stop()]));

    /** Signs in at the certified provider; where the browser is sent on to, and who is signed in then. */
    async function atPanva() {
      const browser = new BrowserAtProvider(target());
      const place = await browser.comeBack(await panva.signIn(await browser.begin("panva"), "grace"));
      return { place, name: (await browser.me())?.["name"] };
    }

    /** What a person is told who wants to sign in. */
    async function refusal(provider: string) {
      const browser = new BrowserAtProvider(target());
      const { status, body } = await browser.call("POST", "/internal/session/provider", { provider });
      return { status, message: body["message"] };
    }

    const missing = (name: string) => ({
      status: 503,
      message: `${name} cannot be used: its secret is missing here. An admin has to give it again.`,
    });

    test.each(Object.keys(forms) as (keyof typeof forms)[])(
      "a private key as %s (private_key_jwt), as a certified provider checks it",
      async (form) => {
        await update(target(), "panva", { secret: forms[form] });
        expect(await atPanva()).toEqual({ place: "/", name: "grace" });
      },
    );

    test("a key that the provider does not know proves nothing", async () => {
      await update(target(), "panva", { secret: pem(unknown, "pkcs8") });
      expect(await atPanva()).toEqual({ place: "/sign-in?failed=bad_answer&with=panva", name: undefined });
    });

    test.each([
      ["no key", "a secret of the client"],
      ["a public key", String(createPublicKey(pem(rsa, "pkcs8")).export({ type: "spki", format: "pem" }))],
      ["half a JSON Web Key", '{"kty": "RSA"'],
      ["a JSON Web Key that is a shared secret", '{"kty": "oct", "k": "c2VjcmV0"}'],
      ["a key that signs nothing", pem(generateKeyPairSync("x25519").privateKey, "pkcs8")],
    ])("with %s nobody is sent to the provider, and people are told whom to ask", async (_, secret) => {
      await update(target(), "panva", { secret });
      expect(await refusal("panva")).toEqual(missing("panva"));
    });

    test("a secret in a file is read at each sign-in: one that is replaced counts from the next one on", async () => {
      writeFileSync(file, `${honest.secret}\n`);
      await update(target(), "honest", { secretFile: file });
      expect(await new BrowserAtProvider(target()).signIn("honest")).toBe("/");
      writeFileSync(`${file}.new`, "another secret");
      renameSync(`${file}.new`, file);
      expect(await new BrowserAtProvider(target()).signIn("honest")).toBe("/sign-in?failed=bad_answer&with=honest");
      writeFileSync(file, honest.secret);
      expect(await new BrowserAtProvider(target()).signIn("honest")).toBe("/");
    });

    const unusable: [string, () => unknown][] = [
      ["that is not there", () => {}],
      ["that is empty", () => writeFileSync(file, "\n")],
      ["that is too large", () => writeFileSync(file, "x".repeat(limits.clientSecretMax + 1))],
      ["that is a folder", () => mkdirSync(file)],
      // Reading it would wait for whoever writes to it, and everybody would wait for that.
      ["that is a pipe", () => Bun.spawnSync(["mkfifo", file])],
      ["that has no end", () => Bun.spawnSync(["ln", "-s", "/dev/zero", file])],
    ];
    test.each(unusable)("a file %s lets nobody begin, and people are told whom to ask", async (_, make) => {
      rmSync(file, { recursive: true, force: true });
      make();
      await update(target(), "honest", { secretFile: file });
      expect(await refusal("honest")).toEqual(missing("honest"));
    });

    test("a file that goes between a sign-in's beginning and its end is named as the cause", async () => {
      rmSync(file, { recursive: true, force: true });
      writeFileSync(file, honest.secret);
      const browser = new BrowserAtProvider(target());
      const back = await browser.atProvider(await browser.begin("honest"));
      rmSync(file);
      expect(await browser.comeBack(back)).toBe("/sign-in?failed=misconfigured&with=honest");
      expect(await browser.me()).toBeUndefined();
    });
  },
  ["over loopback"],
  { rateLimits: false },
);
