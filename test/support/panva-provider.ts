import { createServer, type Server } from "node:http";
import type { JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";

interface PanvaOptions {
  /** Addresses of Intake that the provider sends browsers back to. */
  redirectUris: string[];
  postLogoutUris: string[];
  /** Where the provider tells of sign-outs. */
  logoutUri: string;
  /** The claims of a person, by what was typed as login. */
  claimsOf: (login: string) => Record<string, unknown>;
  /** The public keys of a second client, which proves who it is with `private_key_jwt`. */
  publicKeys?: JWK[];
}

/** A certified OpenID provider, `oidc-provider` with its pages for development: any login and any password will do. */
export class PanvaProvider {
  readonly #server: Server;
  readonly url: string;
  readonly clientId = "intake";
  readonly secret = "a secret of the client";
  /** The client that signs with a private key. */
  readonly signingClientId = "intake-by-key";

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start({
    redirectUris,
    postLogoutUris,
    logoutUri,
    claimsOf,
    publicKeys = [],
  }: PanvaOptions): Promise<PanvaProvider> {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    const { port } = server.address() as { port: number };
    const panva = new PanvaProvider(server, `http://127.0.0.1:${port}`);
    const configuration: Configuration = {
      clients: [
        {
          client_id: panva.clientId,
          client_secret: panva.secret,
          redirect_uris: redirectUris,
          post_logout_redirect_uris: postLogoutUris,
          backchannel_logout_uri: logoutUri,
          backchannel_logout_session_required: true,
        },
        {
          client_id: panva.signingClientId,
          redirect_uris: redirectUris,
          token_endpoint_auth_method: "private_key_jwt",
          jwks: { keys: publicKeys },
        },
      ],
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
      conformIdTokenClaims: false,
      cookies: { keys: ["a key of the tests"] },
      features: { backchannelLogout: { enabled: true } },
      // Without the guard against private addresses of the provider itself: Intake listens on loopback here.
      fetch: (url, { method, body, headers }) =>
        fetch(url, { ...(method && { method }), ...(body && { body }), ...(headers && { headers }) }),
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...claimsOf(sub) }) }),
    };
    server.on("request", new Provider(panva.url, configuration).callback());
    return panva;
  }

  /** Signs a person in on the pages of the provider without a browser; the address that leads back to Intake. */
  async signIn(from: string, login: string): Promise<URL> {
    const cookies = new Map<string, string>();
    const forms = [{ prompt: "login", login, password: "any" }, { prompt: "consent" }];
    let [url, form] = [new URL(from), undefined as Record<string, string> | undefined];
    while (url.origin === this.url) {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const body = form && new URLSearchParams(form);
      const response = await fetch(url, {
        ...{ method: body ? "POST" : "GET", headers: { cookie }, redirect: "manual" },
        ...(body ? { body } : {}),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      form = location === null ? forms.shift() : undefined;
      if (location === null && form === undefined) throw new Error(`${response.status} ${await response.text()}`);
      url = new URL(location ?? "", url);
    }
    return url;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
