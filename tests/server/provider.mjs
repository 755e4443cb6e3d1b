// An OpenID Connect provider with one user and one service: node provider.mjs PORT ALGORITHM KEY
import { generateKeyPairSync } from "node:crypto";
import Provider from "oidc-provider";

const [port, alg, kid] = process.argv.slice(2);
const kinds = {
  RS256: ["rsa", { modulusLength: 2048 }],
  PS256: ["rsa", { modulusLength: 2048 }],
  ES256: ["ec", { namedCurve: "P-256" }],
  EdDSA: ["ed25519", {}],
};
const key = generateKeyPairSync(...kinds[alg]).privateKey.export({ format: "jwk" });
const user = { email: "alice@example.com", email_verified: true, groups: ["staff"] };
const server = { accessTokenFormat: "jwt", audience: "ggrep", jwt: { sign: { alg } }, scope: "" };

new Provider(`http://127.0.0.1:${port}`, {
  claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
  clients: [
    {
      client_id: "ggrep",
      client_secret: "secret",
      grant_types: ["authorization_code", "client_credentials"],
      id_token_signed_response_alg: alg,
      redirect_uris: ["http://127.0.0.1:1/callback"],
    },
  ],
  conformIdTokenClaims: false, // otherwise ID tokens lack the claims of users
  cookies: { keys: ["secret"] },
  enabledJWA: { idTokenSigningAlgValues: [alg] },
  extraTokenClaims: () => user,
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: () => server },
  },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...user }) }),
  jwks: { keys: [{ ...key, alg, kid, use: "sig" }] },
  pkce: { required: () => false },
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
