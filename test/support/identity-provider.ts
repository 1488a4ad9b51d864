import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";

/** How an identity provider misbehaves; without any of these it is honest. */
interface Manners {
  /** Claims that replace those of the id token; undefined leaves one out. */
  claims?: Record<string, unknown>;
  /** Makes the id token itself, from its claims. */
  sign?: (claims: Record<string, unknown>, provider: IdentityProvider) => Promise<string> | string;
  /** Answers instead of an endpoint. */
  answer?: (path: string, request: Request) => Response | Promise<Response | undefined> | undefined;
  /** Members that replace those of the discovery document. */
  metadata?: Record<string, unknown>;
  /** The `iss` that it puts into the answer of a sign-in; null for none. */
  iss?: string | null;
  /** Accepts a code any number of times, with any verifier. */
  careless?: boolean;
}

interface Somebody {
  sub: string;
  [claim: string]: unknown;
}

interface Code {
  nonce: string | null;
  challenge: string | null;
  redirectUri: string | null;
  who: Somebody;
  authTime: number;
  scope: string;
}

/** An identity provider of the tests, on loopback: it signs `who` in without asking, and does what its manners say. */
export class IdentityProvider {
  readonly url: string;
  readonly clientId = "intake";
  readonly secret = "a secret of the client";
  who: Somebody = { sub: "ada", email: "ada@example.org", email_verified: true, name: "Ada" };
  manners: Manners = {};
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  key!: CryptoKey;
  publicPem = "";
  #jwk: Record<string, unknown> = {};
  #kid = 0;
  readonly #codes = new Map<string, Code>();
  readonly #server: Bun.Server<undefined>;

  private constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: (request) => this.#answer(request),
    });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider();
    await provider.rotate();
    return provider;
  }

  stop() {
    return this.#server.stop(true);
  }

  /** Signs with a new key from now on; the old one is published no longer. */
  async rotate() {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    this.key = privateKey;
    this.publicPem = await exportSPKI(publicKey);
    this.#jwk = { ...(await exportJWK(publicKey)), kid: `key-${++this.#kid}`, use: "sig", alg: "RS256" };
  }

  get kid(): string {
    return `key-${this.#kid}`;
  }

  /** Signs a token with its present key. */
  token(claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: this.kid, ...header }).sign(this.key);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.asked.push(url.pathname);
    const hostile = await this.manners.answer?.(url.pathname, request);
    if (hostile) return hostile;
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/jwks`,
          userinfo_endpoint: `${this.url}/userinfo`,
          end_session_endpoint: `${this.url}/end`,
          authorization_response_iss_parameter_supported: true,
          id_token_signing_alg_values_supported: ["RS256"],
          code_challenge_methods_supported: ["S256"],
          backchannel_logout_supported: true,
          ...this.manners.metadata,
        });
      case "/jwks":
        return Response.json({ keys: [this.#jwk] });
      case "/authorize":
        return this.#authorize(url);
      case "/token":
        return this.#token(request);
      case "/userinfo":
        return Response.json(this.who);
      default:
        return new Response("no such page", { status: 404 });
    }
  }

  #authorize({ searchParams: asked }: URL): Response {
    const code = crypto.randomUUID();
    const now = Math.floor(Date.now() / 1_000);
    this.#codes.set(code, {
      nonce: asked.get("nonce"),
      challenge: asked.get("code_challenge"),
      redirectUri: asked.get("redirect_uri"),
      scope: asked.get("scope") ?? "",
      who: this.who,
      authTime: now,
    });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    const { iss = this.url } = this.manners;
    if (iss !== null) back.searchParams.set("iss", iss);
    return Response.redirect(back.href, 303);
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const code = this.#codes.get(form.get("code") ?? "");
    const basic = `Basic ${Buffer.from(`intake:${encodeURIComponent(this.secret).replaceAll("%20", "+")}`).toString("base64")}`;
    const verified = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    const honest =
      code !== undefined &&
      code.challenge === verified &&
      code.redirectUri === form.get("redirect_uri") &&
      request.headers.get("authorization") === basic;
    if (!code || (!honest && !this.manners.careless)) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    if (!this.manners.careless) this.#codes.delete(form.get("code") ?? "");
    const now = Math.floor(Date.now() / 1_000);
    const claims: Record<string, unknown> = {
      ...code.who,
      iss: this.url,
      aud: this.clientId,
      iat: now,
      exp: now + 300,
      nonce: code.nonce,
      auth_time: code.authTime,
      sid: "session-at-the-provider",
      ...this.manners.claims,
    };
    const left = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    const idToken = await (this.manners.sign ?? ((all) => this.token(all)))(left, this);
    return Response.json({ access_token: "access", token_type: "Bearer", expires_in: 300, id_token: idToken });
  }
}
