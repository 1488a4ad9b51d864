import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { AuthorizationServer, Client, ClientAuth } from "oauth4webapi";
import type { Sealing } from "../core/sealing.ts";
import { openSecret } from "./client-secret.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { privateKeyOf } from "./private-key.ts";
import { ProviderFailed } from "./provider-failed.ts";
import type { Provider } from "./provider-row.ts";

/** How far the clocks of a provider and of this server may differ, in seconds. */
const clockSkewSeconds = 60;
/** How old a token may be that a provider has made for this moment. */
const tokenMinutes = 10;

/** Signatures by a key pair. A shared secret signs nothing here: a public key could be taken for one. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** What is known of an issuer: its discovery document, and its keys, which are fetched when they are needed. */
export interface Issuer {
  server: AuthorizationServer;
  keys: JWTVerifyGetKey;
}

export interface Exchanged {
  /** The claims of the checked id token, and what the provider told besides about the same subject. */
  claims: JWTPayload & Record<string, unknown>;
  idToken: string;
}

/** Reads the discovery document of an issuer. Throws {@link ProviderFailed}. */
export async function discover(issuer: string, { fetch }: GuardedFetch): Promise<Issuer> {
  const [oauth, jose] = await libraries();
  const url = new URL(issuer);
  const plain = url.protocol === "http:";
  return telling(async () => {
    const response = await oauth.discoveryRequest(url, {
      [oauth.customFetch]: fetch as never,
      [oauth.allowInsecureRequests]: plain,
    });
    const server = await oauth.processDiscoveryResponse(url, response);
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
      if (!isEndpoint(server[name], plain)) {
        throw new ProviderFailed("bad_answer", `its discovery document has no ${name} that can be used`);
      }
    }
    const keys = jose.createRemoteJWKSet(new URL(server.jwks_uri ?? ""), {
      [jose.customFetch]: fetch as never,
      // A key that is not known is asked for once in this time, whoever sends tokens with new names of keys.
      cooldownDuration: 2_000,
      cacheMaxAge: 600_000,
    });
    return { server, keys };
  });
}

/** Only where it begins with https: the pages of a provider are opened in a browser. */
function isEndpoint(address: unknown, plain: boolean): address is string {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return url?.protocol === "https:" || (plain && url?.protocol === "http:");
}

/** The address at the provider where a sign-in begins. */
export async function authorizationUrl(
  { server }: Issuer,
  { clientId, scopes }: Provider,
  {
    redirectUri,
    state,
    nonce,
    verifier,
    confirm = false,
  }: { redirectUri: string; state: string; nonce: string; verifier: string; confirm?: boolean },
): Promise<string> {
  const [oauth] = await libraries();
  const url = new URL(server.authorization_endpoint ?? "");
  const scope = new Set(["openid", ...(scopes ?? "profile email").split(/\s+/).filter((one) => one !== "")]);
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: [...scope].join(" "),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
    ...(confirm ? { prompt: "login", max_age: "0" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Turns the answer that a browser brings from the provider into checked claims. Throws {@link ProviderFailed}. */
export async function exchange(
  { server, keys }: Issuer,
  provider: Provider,
  { fetch, sealing }: { fetch: GuardedFetch["fetch"]; sealing: Sealing },
  answer: {
    parameters: URLSearchParams;
    redirectUri: string;
    state: string;
    nonce: string;
    verifier: string;
    /** The person has to have given their password, or the like, for this sign-in. */
    confirm: boolean;
    wantsMore: (claims: Record<string, unknown>) => boolean;
  },
): Promise<Exchanged> {
  const [oauth, jose] = await libraries();
  const options = {
    [oauth.customFetch]: fetch as never,
    [oauth.allowInsecureRequests]: new URL(server.issuer).protocol === "http:",
  };
  const client: Client = { client_id: provider.clientId, [oauth.clockTolerance]: clockSkewSeconds };
  return telling(async () => {
    const parameters = oauth.validateAuthResponse(server, client, answer.parameters, answer.state);
    const { redirectUri, verifier, nonce } = answer;
    const auth = await clientAuthOf(provider, server, sealing);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      parameters,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
      ...(answer.confirm ? { maxAge: 0 } : {}),
    });
    const idToken = tokens.id_token ?? "";
    const { payload } = await jose.jwtVerify(idToken, keys, {
      issuer: server.issuer,
      audience: provider.clientId,
      algorithms,
      clockTolerance: clockSkewSeconds,
      maxTokenAge: tokenMinutes * 60,
    });
    let claims: Exchanged["claims"] = payload;
    if (server.userinfo_endpoint !== undefined && answer.wantsMore(claims)) {
      const asked = await oauth.userInfoRequest(server, client, tokens.access_token, options);
      const more = await oauth.processUserInfoResponse(server, client, payload.sub ?? "", asked);
      claims = { ...(more as Record<string, unknown>), ...claims };
    }
    return { claims, idToken };
  });
}

/** The page of a provider on which a person signs out there; undefined when it has none. */
export function endSessionUrl(
  { server }: Issuer,
  { clientId, idToken, returnTo }: { clientId: string; idToken: string | undefined; returnTo: string },
): string | undefined {
  const { end_session_endpoint: page, issuer } = server;
  if (!isEndpoint(page, new URL(issuer).protocol === "http:")) return undefined;
  const url = new URL(page);
  if (idToken !== undefined) url.searchParams.set("id_token_hint", idToken);
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("post_logout_redirect_uri", returnTo);
  return url.href;
}

/** Checks a token with which a provider says that a session there has ended. Throws {@link ProviderFailed}. */
export async function verifyLogoutToken(
  { server, keys }: Issuer,
  { clientId }: Provider,
  token: string,
): Promise<{ jti: string; subject: string | undefined; sid: string | undefined }> {
  const [, jose] = await libraries();
  return telling(async () => {
    const { payload } = await jose.jwtVerify(token, keys, {
      issuer: server.issuer,
      audience: clientId,
      algorithms,
      clockTolerance: clockSkewSeconds,
      maxTokenAge: tokenMinutes * 60,
      requiredClaims: ["iat", "jti", "events"],
    });
    const { sub: subject, sid, jti, events, nonce } = payload;
    const told = (events as Record<string, unknown>)?.["http://schemas.openid.net/event/backchannel-logout"];
    if (typeof told !== "object" || told === null) throw new ProviderFailed("bad_answer", "it is no logout token");
    if (nonce !== undefined) throw new ProviderFailed("bad_answer", "a logout token must have no nonce");
    if (typeof jti !== "string") throw new ProviderFailed("bad_answer", "its jti is no text");
    if (typeof subject !== "string" && typeof sid !== "string") {
      throw new ProviderFailed("bad_answer", "it names neither a subject nor a session");
    }
    return { jti, subject, sid: typeof sid === "string" ? sid : undefined };
  });
}

/** How long a logout token can be valid, in milliseconds: so long its id is remembered. */
export const logoutTokenMilliseconds = (tokenMinutes * 60 + 2 * clockSkewSeconds) * 1_000;

async function clientAuthOf(provider: Provider, server: AuthorizationServer, sealing: Sealing): Promise<ClientAuth> {
  const [oauth, jose] = await libraries();
  if (provider.clientAuth === "none") return oauth.None();
  const secret = openSecret(sealing, provider);
  if (provider.clientAuth === "private-key") {
    const { algorithm, pem, kid } = privateKeyOf(secret);
    const key = await jose.importPKCS8(pem, algorithm);
    return oauth.PrivateKeyJwt(kid === undefined ? key : { key, kid });
  }
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}

/** Gives every failure of a provider its reason. What is unexpected counts as an answer that is not to be trusted. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): ProviderFailed {
  if (error instanceof ProviderFailed) return error;
  const {
    name,
    message,
    code,
    error: told,
    status,
  } = error as Error & {
    code?: string;
    error?: string;
    status?: number;
  };
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return new ProviderFailed("cancelled", `it said ${told}`);
  if (code === "OAUTH_RESPONSE_BODY_ERROR") return new ProviderFailed("bad_answer", `it refused the code: ${told}`);
  if (status !== undefined && status >= 500) return new ProviderFailed("unreachable", `it answered ${status}`);
  // Only the guarded fetch and the check of addresses throw plain errors.
  const unreachable = name === "Error" || name === "AddressRefused" || name === "JWKSTimeout";
  return new ProviderFailed(unreachable ? "unreachable" : "bad_answer", message);
}

/** Loaded with the first sign-in, because most servers start without one. */
function libraries() {
  return Promise.all([import("oauth4webapi"), import("jose")]);
}
