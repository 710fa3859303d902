import { createHmac } from 'node:crypto';
import { processClock, type QueueClock } from '@switchboard/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { webhookSecretPurpose } from '../../src/secrets/webhook-secret.js';
import { Receiver } from './receiver.js';
import { Rig, siteChange } from './rig.js';

const dayMs = 86_400_000;
const receiver = new Receiver();
let rig: Rig;
let aheadMs = 0;
// Its timers are those of the process; only what it says the time is moves on.
const clock: QueueClock = { ...processClock, now: () => Date.now() + aheadMs };

beforeAll(async () => {
  rig = await Rig.create();
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

/** Writes a secret as the API does: sealed, with a digest that tells it from others. */
async function writeSecret(id: number, secret: string): Promise<void> {
  const sealed = secret === '' ? '' : rig.secretBox.seal(secret, webhookSecretPurpose);
  const digest = secret === '' ? '' : createHmac('sha256', 'digest').update(secret).digest('hex');
  await rig.database.query('UPDATE extras_webhook SET secret = $2, secret_digest = $3 WHERE id = $1', [
    id,
    sealed,
    digest,
  ]);
}

async function stored(id: number): Promise<{ former_secret: string; secret_rotated: Date | null }> {
  const { rows } = await rig.database.query<{ former_secret: string; secret_rotated: Date | null }>(
    'SELECT former_secret, secret_rotated FROM extras_webhook WHERE id = $1',
    [id],
  );
  return rows[0]!;
}

/** Whose signatures the next delivery has: of the Standard Webhooks header, and of the other. */
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

const none = { former_secret: '', secret_rotated: null };

describe('a secret that was replaced', () => {
  it('signs beside the new one for a day, and is then forgotten', async () => {
    const id = await rig.addWebhook(receiver.url);
    const { webhooks } = rig.process({ clock });
    await writeSecret(id, 'first');
    expect(await stored(id)).toEqual(none);
    expect(await signers('first')).toEqual({ standard: ['first'], hook: 'first' });

    await writeSecret(id, 'second');
    expect((await stored(id)).former_secret).not.toContain('first');
    expect(await signers('first', 'second')).toEqual({ standard: ['second', 'first'], hook: 'second' });
    aheadMs = dayMs - 60_000;
    expect((await signers('first', 'second')).standard).toEqual(['second', 'first']);
    expect(await webhooks.formerSecrets.run()).toBe(0);

    aheadMs = dayMs + 1_000;
    expect(await signers('first', 'second')).toEqual({ standard: ['second'], hook: 'second' });
    expect(await webhooks.formerSecrets.run()).toBe(1);
    expect(await stored(id)).toEqual(none);
  });

  it('is the last one alone, and ends when the secret is cleared', async () => {
    const id = await rig.addWebhook(receiver.url);
    rig.process({ clock });
    for (const secret of ['first', 'second', 'third']) await writeSecret(id, secret);
    expect((await signers('first', 'second', 'third')).standard).toEqual(['third', 'second']);
    await writeSecret(id, '');
    expect(await stored(id)).toEqual(none);
    expect(await signers()).toEqual({ standard: [], hook: undefined });
    await writeSecret(id, 'fourth');
    expect((await signers('third', 'fourth')).standard).toEqual(['fourth']);
  });

  it('stays what it is while the webhook is changed otherwise, or given the same secret', async () => {
    const id = await rig.addWebhook(receiver.url);
    await writeSecret(id, 'first');
    await writeSecret(id, 'second');
    const before = await stored(id);
    await writeSecret(id, 'second');
    await rig.database.query("UPDATE extras_webhook SET description = 'x' WHERE id = $1", [id]);
    expect(await stored(id)).toEqual(before);
  });

  it('that was in clear still is not kept', async () => {
    const id = await rig.addWebhook(receiver.url);
    await rig.database.query("UPDATE extras_webhook SET secret = 'in clear' WHERE id = $1", [id]);
    await writeSecret(id, 'in clear');
    expect(await stored(id)).toEqual(none);
  });
});
