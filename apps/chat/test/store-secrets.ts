import { randomUUID } from 'node:crypto';
import { endpointSecretPurpose } from '@switchboard/webhooks';
import { expect } from 'vitest';
import { createStoredMailEncryptionPurpose, createEnqueuedMailEncryptionPurpose } from '../src/infra/mail/index.js';
import type { ChatProcess, DemoUser } from './chat-server.js';

/** OAuth token of the user Hamlet at Zoom, in the format before encryption. */
export const zoomToken = { accessToken: 'access', refreshToken: 'refresh', expiresAtMs: 1 };

/**
 * Stores a secret in each database column for encrypted texts. The secrets are encrypted with the keys of the given
 * process.
 */
export async function storeSecrets(
  { runtime }: ChatProcess,
  { hamlet, iago }: { readonly hamlet: DemoUser; readonly iago: DemoUser },
): Promise<void> {
  const { secrets, database } = runtime;
  const query = (sql: string, values: unknown[]): Promise<unknown> => database.query(sql, values);
  const bot = { full_name: 'Caller', short_name: 'caller', bot_type: '3', payload_url: '"https://example.com/"' };
  const signed = {
    full_name: 'Signed',
    short_name: 'signed',
    bot_type: '2',
    config_data: '{"webhook_secret":"sesame"}',
  };
  for (const form of [bot, { ...signed, service_name: 'github' }]) {
    expect((await hamlet.client.post('/api/v1/bots', { form })).status).toBe(200);
  }
  const token = { token: 'c29tZSB0b2tlbg==', appid: 'org.zulip.Zulip' };
  expect((await hamlet.client.post('/api/v1/users/me/apns_device_token', { form: token })).status).toBe(200);
  const link = { invite_expires_in_minutes: '60', stream_ids: '[]' };
  expect((await iago.client.post('/api/v1/invites/multiuse', { form: link })).status).toBe(200);
  await query(`INSERT INTO video_call_tokens (user_id, provider, token_sealed) VALUES ($1, 'zoom', $2)`, [
    hamlet.id,
    secrets.seal(JSON.stringify(zoomToken), `chat:user:${hamlet.id}:zoom_token`),
  ]);
  await query(
    `INSERT INTO outgoing_mails (id, recipient, subject, text_sealed, failed_at) VALUES (-1, 'a@b.test', 'x', $1, now())`,
    [secrets.seal('text of a mail', createStoredMailEncryptionPurpose('-1'))],
  );
  const payload = {
    to: 'a@b.test',
    subject: '"sealed":"v1.dev.x"',
    sealed: secrets.seal('waiting mail', createEnqueuedMailEncryptionPurpose('a@b.test')),
  };
  await query(`INSERT INTO queue.outbox (topic, version, payload, set_aside_at) VALUES ('chat.mail', 2, $1, now())`, [
    JSON.stringify(payload),
  ]);
  const endpoint = randomUUID();
  const sealed = (secret: string): string => secrets.seal(secret, endpointSecretPurpose(endpoint));
  const replaced = ['second', 'first'].map((secret) => ({ secret: sealed(secret), expires: 1e15 }));
  await query(
    `INSERT INTO webhooks.endpoints (id, url, receiver, event_types, secret, former_secrets)
      VALUES ($1, 'https://example.com/', 'https://example.com', '{message}', $2, $3)`,
    [endpoint, sealed('third'), JSON.stringify(replaced)],
  );
}
