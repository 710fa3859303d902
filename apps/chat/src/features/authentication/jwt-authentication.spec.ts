import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../test/chat-server.js';

const secret = 'a secret that only the portal and this server know';
const keyBytes = new TextEncoder().encode(secret);

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ JWT_AUTH_KEY: secret, JWT_AUTH_AUDIENCE: 'chat', JWT_AUTH_MAX_AGE_SECONDS: '60' });
});
afterAll(() => cluster.stop());

interface ResponseBody {
  readonly api_key: string;
  readonly email: string;
  readonly code: string;
  readonly msg: string;
  readonly user: Record<string, unknown>;
}

const now = () => Math.floor(Date.now() / 1000);
const claims = () => ({ email: 'hamlet@example.com', aud: 'chat', iat: now() });

const sign = (payload: Record<string, unknown>, key: Uint8Array = keyBytes, alg = 'HS256') =>
  new SignJWT(payload).setProtectedHeader({ alg }).sign(key);

async function fetchKey(token: string, form: Record<string, string> = {}, process = chat) {
  const sent = { form: { token, ...form } };
  const { status, body } = await process.client.post<ResponseBody>('/api/v1/jwt/fetch_api_key', sent);
  return { status, body };
}

/**
 * Returns a JSON web token with the given header and payload. The token is signed with the key that the server trusts,
 * or has an empty signature if `signed` is false.
 */
function forge(header: object, payload: object, signed = true): string {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${signed ? createHmac('sha256', secret).update(text).digest('base64url') : ''}`;
}

describe('POST /jwt/fetch_api_key', () => {
  it('returns the API key of the email address in the token', async () => {
    const hamlet = await signIn(chat, 'hamlet');
    const { body } = await fetchKey(await sign({ ...claims(), email: 'HAMLET@example.com' }));
    expect(body).toEqual({ result: 'success', msg: '', api_key: hamlet.apiKey, email: hamlet.email });
  });

  it("returns the user's profile if include_profile is true", async () => {
    const { body } = await fetchKey(await sign(claims()), { include_profile: 'true' });
    expect(body.user).toMatchObject({ full_name: 'King Hamlet', delivery_email: 'hamlet@example.com' });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['another key', () => sign(claims(), new TextEncoder().encode(secret.toUpperCase()))],
    ['another algorithm', () => sign(claims(), keyBytes, 'HS512')],
    ['the algorithm none', () => forge({ alg: 'none' }, claims(), false)],
    ['the algorithm none and a signature', () => forge({ alg: 'none' }, claims())],
    ['another audience', () => sign({ ...claims(), aud: 'mail' })],
    ['no audience', () => sign({ email: 'hamlet@example.com', iat: now() })],
    ['an expiry in the past', () => sign({ ...claims(), exp: now() - 30 })],
    ['an old time of issue', () => sign({ ...claims(), iat: now() - 120 })],
    ['a time of issue in the future', () => sign({ ...claims(), iat: now() + 120 })],
    ['no time of issue', () => sign({ email: 'hamlet@example.com', aud: 'chat' })],
    ['no form of a token', () => 'hamlet'],
    ['an email address that is no text', () => sign({ ...claims(), email: 7 })],
    ['more than 8192 characters', () => sign({ ...claims(), filler: 'x'.repeat(9000) })],
  ])('rejects a token with %s', async (_name, token) => {
    const body = { result: 'error', code: 'BAD_REQUEST', msg: 'Bad JSON web token' };
    expect(await fetchKey(await token())).toEqual({ status: 400, body });
  });

  it('rejects a missing token, an empty token and a missing claim, each with its own error', async () => {
    const missing = await chat.client.post<ResponseBody>('/api/v1/jwt/fetch_api_key', { form: {} });
    expect(missing.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'token' });
    expect((await fetchKey('')).body.msg).toBe('No JSON web token passed in request');
    const withoutEmail = await sign({ aud: 'chat', iat: now() });
    expect((await fetchKey(withoutEmail)).body.msg).toBe('No email specified in JSON web token claims');
  });

  it('rejects unknown addresses, bots and deactivated accounts', async () => {
    const failure = async (email: string) => {
      const { status, body } = await fetchKey(await sign({ ...claims(), email }));
      return `${status} ${body.code}`;
    };
    expect(await failure('nobody@example.com')).toBe('401 AUTHENTICATION_FAILED');
    expect(await failure('default-bot@example.com')).toBe('401 AUTHENTICATION_FAILED');
    await chat.runtime.database.query(
      "UPDATE users SET is_active = false WHERE delivery_email_key = 'prospero@example.com'",
    );
    expect(await failure('prospero@example.com')).toBe('401 USER_DEACTIVATED');
  });

  it('rejects every token if no key is configured', async () => {
    const plain = await cluster.start();
    const { status, body } = await fetchKey(await sign(claims()), {}, plain);
    const msg = 'JWT authentication is not enabled for this organization';
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', msg } });
  });

  it('verifies signatures with a public key, and rejects that key as a shared secret', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const process = await cluster.start({ JWT_AUTH_KEY: pem, JWT_AUTH_ALGORITHM: 'ES256' });
    const good = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    expect((await fetchKey(good, {}, process)).status).toBe(200);
    const confused = await sign(claims(), new TextEncoder().encode(pem));
    expect((await fetchKey(confused, {}, process)).body.msg).toBe('Bad JSON web token');
  });

  it.each([
    ['a short secret', { JWT_AUTH_KEY: 'short' }],
    ['a secret in place of a public key', { JWT_AUTH_KEY: secret, JWT_AUTH_ALGORITHM: 'RS256' }],
  ])('rejects the configuration at the start of the process: %s', async (_name, env) => {
    await expect(cluster.start(env)).rejects.toThrow('JWT_AUTH_KEY');
  });
});
