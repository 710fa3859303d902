import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRealmOwnerAccount } from '../../app/admin/accounts.js';
import { createRealm, setRealmUrl } from '../../app/admin/create-realm.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
} from '../../../test/chat-server.js';

let cluster: ChatCluster;
let production: ChatProcess;
let development: ChatProcess;

const secrets = {
  NODE_ENV: 'production',
  SECRET_ENCRYPTION_KEYS: `k1:${Buffer.from('a key of thirty-two bytes, really').subarray(0, 32).toString('base64')}`,
  SECRET_PEPPERS: '1:a pepper of thirty-two characters and more',
  RATE_LIMIT_API_BY_IP: 'off',
  RATE_LIMIT_API_BY_USER: 'off',
};
const password = 'correct horse battery staple';

beforeAll(async () => {
  cluster = await chatCluster({ withDemo: false });
  production = await cluster.start({ ...secrets, HOST_ALIASES: 'chat.internal, Backup.Internal' });
  development = await cluster.start({ ...secrets, NODE_ENV: 'test' });
  const realm = { stringId: 'acme', name: 'Acme', description: '' };
  await createRealm(production.runtime, { ...realm, host: 'Chat.Example.com' });
  await createRealmOwnerAccount(production.runtime, {
    realm: undefined,
    email: 'me@example.com',
    fullName: 'Me',
    password,
  });
});
afterAll(() => cluster.stop());

async function serverSettings(process: ChatProcess, headers: Record<string, string>) {
  const { status, body } = await process.client.get<{ realm_url?: string; code?: string; msg: string }>(
    '/api/v1/server_settings',
    { headers },
  );
  return { status, url: body.realm_url, code: body.code, msg: body.msg };
}

async function inviteLink(process: ChatProcess, host: string): Promise<string> {
  const form = { username: 'me@example.com', password };
  const headers = { host };
  const { body } = await process.client.post<{ api_key: string }>('/api/v1/fetch_api_key', { form, headers });
  const invited = await process.client.post<{ invite_link: string }>('/api/v1/invites/multiuse', {
    headers: { ...headers, ...createBasicAuthorization('me@example.com', body.api_key) },
  });
  return invited.body.invite_link;
}

describe('public URL of a realm', () => {
  it('begins all links in production, by default with https and the host of the realm', async () => {
    const known = { status: 200, url: 'https://chat.example.com' };
    for (const host of ['chat.example.com', 'CHAT.example.com:8443', 'chat.internal', 'backup.internal']) {
      expect(await serverSettings(production, { host })).toMatchObject(known);
    }
    expect(await inviteLink(production, 'chat.internal')).toMatch(/^https:\/\/chat\.example\.com\/join\//);
  });

  it('rejects requests for other hosts in production, except for health checks', async () => {
    const headers = { host: 'evil.example.com' };
    const refusal = { status: 404, code: 'NONEXISTENT_SUBDOMAIN', msg: 'Invalid subdomain' };
    expect(await serverSettings(production, headers)).toMatchObject(refusal);
    for (const path of ['/login', '/api/v1/no-such-path', '/user_avatars/1/x.png']) {
      expect((await production.client.get(path, { headers, unchecked: true })).status).toBe(404);
    }
    for (const path of ['/health/live', '/health/ready']) {
      expect((await production.client.get(path, { headers, unchecked: true })).status).toBe(200);
    }
  });

  it('equals the origin of the request in development', async () => {
    const host = 'localhost:9991';
    expect(await serverSettings(development, { host })).toMatchObject({ status: 200, url: `http://${host}` });
  });

  it('changes immediately in every process when the admin command set-url runs, also in development', async () => {
    const set = (url: string) => setRealmUrl(production.runtime, { realm: undefined, url });
    for (const bad of [
      'chat.example.com',
      'ftp://chat.example.com',
      'https://chat.example.com/path',
      'https://a@b.c',
    ]) {
      await expect(set(bad)).rejects.toThrow('--url must be a scheme and a host');
    }
    await set('http://chat.example.org:8443');
    const host = 'chat.example.org';
    const known = { status: 200, url: 'http://chat.example.org:8443' };
    expect(await serverSettings(production, { host })).toMatchObject(known);
    expect(await serverSettings(production, { host: 'chat.example.com' })).toMatchObject({ status: 404 });
    await expect.poll(() => serverSettings(development, { host: 'localhost' })).toMatchObject(known);
    expect(await inviteLink(development, 'evil.example.com')).toMatch(/^http:\/\/chat\.example\.org:8443\/join\//);
  });

  it('makes create-realm fail when the public URL lacks the host of the realm', async () => {
    const realm = { stringId: 'two', name: 'Two', description: '', host: 'two.example.com' };
    const create = (more: object) => createRealm(production.runtime, { ...realm, ...more });
    await expect(create({ publicUrl: 'https://three.example.com' })).rejects.toThrow('must be two.example.com');
    await expect(create({ host: 'two.example.com:80' })).rejects.toThrow('without scheme and port');
    await create({ publicUrl: 'http://two.example.com:9991' });
    const headers = { host: 'two.example.com' };
    expect(await serverSettings(production, headers)).toMatchObject({ url: 'http://two.example.com:9991' });
  });
});
