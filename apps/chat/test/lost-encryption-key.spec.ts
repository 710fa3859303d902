import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { defaultKeyVariables, createEncryptionKeyEntry, SecretsCommand } from './secrets-command.js';
import { storeSecrets } from './store-secrets.js';

type Json = Record<string, unknown>;

const env = { SECRET_ENCRYPTION_KEYS: createEncryptionKeyEntry('k2'), SECRET_PEPPERS: defaultKeyVariables.pepper };
let cluster: ChatCluster;
let chat: ChatProcess;
let command: SecretsCommand;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  const former = await cluster.start({ ROLE: 'api' });
  const [first, iago] = await Promise.all([signIn(former, 'hamlet'), signIn(former, 'iago')]);
  await storeSecrets(former, { hamlet: first, iago });
  chat = await cluster.start({ ROLE: 'api', ...env });
  command = new SecretsCommand(chat.runtime.database, env);
  hamlet = first;
});
afterAll(() => cluster.stop());

describe('admin command `secrets abandon --key`', () => {
  it('refuses configured keys, and unused keys or peppers', async () => {
    expect(await command.run('abandon', { key: 'k2' })).toEqual({
      code: 1,
      lines: ['Encryption key "k2" is configured. Run: admin secrets rewrap'],
    });
    expect(await command.run('abandon', { pepper: '1' })).toEqual({
      code: 1,
      lines: ['Pepper "1" is the current pepper.'],
    });
    expect(await command.run('abandon', { key: 'k9' })).toEqual({
      code: 1,
      lines: ['Encryption key "k9" is not in use.'],
    });
    expect((await command.run('abandon')).code).toBe(2);
    await expect(command.run('rewrap')).rejects.toThrow('Encryption key "dev" is in use in this database');
  });

  it('removes secrets under the lost key and gives accounts new API keys', async () => {
    const { code, lines } = await command.run('abandon', { key: 'dev' });
    expect([code, lines.at(-1)]).toEqual([0, 'Encryption key "dev" is abandoned. The service starts without it.']);
    expect(lines).toContain('webhooks.endpoints.secret: 1 texts are lost.');

    const formerKey = chat.client.withHeaders(createBasicAuthorization(hamlet.email, hamlet.apiKey));
    expect((await formerKey.get('/api/v1/users/me')).status).toBe(401);
    const [again, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
    expect(again.apiKey).not.toBe(hamlet.apiKey);
    for (const path of ['/api/v1/bots', '/api/v1/users/me']) expect((await again.client.get(path)).status).toBe(200);
    expect((await iago.client.get<Json>('/api/v1/invites')).body).toMatchObject({ invites: [] });
    // Event webhooks keep the lost secret until it is rotated, and a mail in the outbox becomes a dead letter.
    const { texts } = await command.status();
    expect(texts.filter(({ keyId }) => keyId === 'dev').map(({ column }) => column)).toEqual([
      'queue.outbox.payload',
      'webhooks.endpoints.secret',
      'webhooks.endpoints.former_secrets',
    ]);
  });
});
