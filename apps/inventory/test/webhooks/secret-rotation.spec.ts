import { createHmac } from 'node:crypto';
import { processClock, type QueueClock } from '@switchboard/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { webhook } from '../../src/destinations/webhook/model.js';
import { createFieldEncryptionPurpose } from '../../src/engine/sealed/encrypted-text-sql.js';
import { Receiver } from './test-receiver.js';
import { WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

const dayMs = 86_400_000;
const receiver = new Receiver();
let rig: WebhookTestEnvironment;
let aheadMs = 0;
// Timers use real time. Only the current time of the clock is shifted.
const clock: QueueClock = { ...processClock, now: () => Date.now() + aheadMs };

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
  await receiver.start();
});
afterEach(async () => {
  await rig.reset();
  receiver.requests.length = 0;
  aheadMs = 0;
});
afterAll(async () => {
  await rig.close();
  await receiver.stop();
});

/** Stores the secret of a webhook as the API does: encrypted, and together with a digest of the secret. */
async function writeSecret(id: number, secret: string): Promise<void> {
  const sealed = secret === '' ? '' : rig.secretBox.seal(secret, createFieldEncryptionPurpose(webhook, 'secret'));
  const digest = secret === '' ? '' : createHmac('sha256', 'digest').update(secret).digest('hex');
  await rig.database.query('UPDATE extras_webhook SET secret = $2, secret_digest = $3 WHERE id = $1', [
    id,
    sealed,
    digest,
  ]);
}

interface Stored {
  readonly former_secrets: readonly { readonly secret: string; readonly rotated: number }[];
  readonly secret_rotated: Date | null;
}

async function stored(id: number): Promise<Stored> {
  const { rows } = await rig.database.query<Stored>(
    'SELECT former_secrets, secret_rotated FROM extras_webhook WHERE id = $1',
    [id],
  );
  return rows[0]!;
}

async function rulesVersion(): Promise<string> {
  const { rows } = await rig.database.query<{ version: string }>('SELECT version::text FROM event_rules_version');
  return rows[0]!.version;
}

/**
 * Returns those of the given secrets with which the next delivery is signed: for the header `webhook-signature`, and
 * for the header `x-hook-signature`.
 */
async function signers(...candidates: string[]): Promise<{ standard: string[]; hook: string | undefined }> {
  const before = (await rig.deliveries()).length;
  await rig.commit(siteChange());
  await rig.settled(before + 1);
  const { headers, body } = receiver.requests.at(-1)!;
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body.toString('utf8')}`;
  const by = (make: (secret: string) => string, signature: string): string =>
    candidates.find((secret) => make(secret) === signature) ?? 'nobody';
  const standard = (secret: string): string => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
  const hook = (secret: string): string => createHmac('sha512', secret).update(body).digest('hex');
  const [signatures, other] = [headers['webhook-signature'], headers['x-hook-signature']];
  return {
    standard:
      signatures === undefined
        ? []
        : String(signatures)
            .split(' ')
            .map((one) => by(standard, one)),
    hook: other === undefined ? undefined : by(hook, String(other)),
  };
}

const none = { former_secrets: [], secret_rotated: null };

describe('previous secret of a webhook', () => {
  it('signs requests for one day in addition to the new secret, and is then deleted', async () => {
    const id = await rig.addWebhook(receiver.url);
    const { webhooks } = rig.process({ clock });
    await writeSecret(id, 'first');
    expect(await stored(id)).toEqual(none);
    expect(await signers('first')).toEqual({ standard: ['first'], hook: 'first' });

    await writeSecret(id, 'second');
    expect((await stored(id)).former_secrets[0]?.secret).toMatch(/^v1\.(?!.*first)/);
    expect(await signers('first', 'second')).toEqual({ standard: ['second', 'first'], hook: 'second' });
    aheadMs = dayMs - 60_000;
    expect((await signers('first', 'second')).standard).toEqual(['second', 'first']);
    expect(await webhooks.rotatedSecrets.removeExpiredSecrets()).toBe(0);

    aheadMs = dayMs + 1_000;
    expect(await signers('first', 'second')).toEqual({ standard: ['second'], hook: 'second' });
    expect(await webhooks.rotatedSecrets.removeExpiredSecrets()).toBe(1);
    expect(await stored(id)).toEqual(none);
  });

  it('signs requests until its overlap ends, with at most three previous secrets', async () => {
    const id = await rig.addWebhook(receiver.url);
    const { webhooks } = rig.process({ clock });
    const secrets = ['first', 'second', 'third', 'fourth', 'fifth'];
    for (const secret of secrets) await writeSecret(id, secret);
    expect((await signers(...secrets)).standard).toEqual(['fifth', 'fourth', 'third', 'second']);
    // Moves two replacements into the past, so that the newest is twelve hours later than the others.
    await rig.database.query(
      `UPDATE extras_webhook SET secret_rotated = secret_rotated - interval '12 hours', former_secrets = (
          SELECT jsonb_agg(CASE n WHEN 1 THEN one ELSE jsonb_set(one, '{rotated}', to_jsonb((one ->> 'rotated')::float8 - 43200000)) END ORDER BY n)
          FROM jsonb_array_elements(former_secrets) WITH ORDINALITY AS given(one, n)) WHERE id = $1`,
      [id],
    );
    aheadMs = dayMs / 2 + 60_000;
    expect((await signers(...secrets)).standard).toEqual(['fifth', 'fourth']);
    expect(await webhooks.rotatedSecrets.removeExpiredSecrets()).toBe(2);
    expect((await stored(id)).former_secrets).toHaveLength(1);
    expect((await signers(...secrets)).standard).toEqual(['fifth', 'fourth']);
    aheadMs = dayMs + 60_000;
    expect((await signers(...secrets)).standard).toEqual(['fifth']);
    expect(await webhooks.rotatedSecrets.removeExpiredSecrets()).toBe(1);
    expect(await stored(id)).toEqual(none);
  });

  it('becomes invalid when the secret is cleared', async () => {
    const id = await rig.addWebhook(receiver.url);
    rig.process({ clock });
    for (const secret of ['first', 'second']) await writeSecret(id, secret);
    await writeSecret(id, '');
    expect(await stored(id)).toEqual(none);
    expect(await signers()).toEqual({ standard: [], hook: undefined });
    await writeSecret(id, 'third');
    expect((await signers('second', 'third')).standard).toEqual(['third']);
  });

  it('remains stored when other fields change, or when the current secret is sent again', async () => {
    const id = await rig.addWebhook(receiver.url);
    await writeSecret(id, 'first');
    await writeSecret(id, 'second');
    const before = await stored(id);
    await writeSecret(id, 'second');
    await rig.database.query("UPDATE extras_webhook SET description = 'x' WHERE id = $1", [id]);
    expect(await stored(id)).toEqual(before);
  });

  it('does not appear as plain text in the database', async () => {
    const id = await rig.addWebhook(receiver.url);
    await rig.database.query("UPDATE extras_webhook SET secret = 'in clear' WHERE id = $1", [id]);
    await writeSecret(id, 'in clear');
    expect(await stored(id)).toEqual(none);
  });
});

describe('RotatedSecretCleanup.run', () => {
  it('leaves the version of event rules unchanged when no secret has expired', async () => {
    const id = await rig.addWebhook(receiver.url);
    const { webhooks } = rig.process({ clock });
    for (const secret of ['first', 'second']) await writeSecret(id, secret);
    const before = await rulesVersion();
    expect(await webhooks.rotatedSecrets.removeExpiredSecrets()).toBe(0);
    expect(await rulesVersion()).toBe(before);
  });
});
