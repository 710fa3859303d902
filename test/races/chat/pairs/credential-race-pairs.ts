import { randomBytes } from 'node:crypto';
import { createBasicAuthorization } from '../../../../apps/chat/test/chat-server.js';
import { digestResetToken } from '../../../../apps/chat/src/features/password-reset/password-reset.repository.js';
import type { RacePair } from '../../race-pair.js';
import type { ChatWorld } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

const keysPath = 'users/me/api_keys';

const keyRace: ChatRacePair = {
  slice: 'scoped keys',
  title: 'a scoped key is revoked while it creates a key',
  deletes: true,
  async arrange(world) {
    const userId = world.id('hamlet');
    await world.rows('DELETE FROM api_keys WHERE user_id = $1', [userId]);
    const form = { name: 'first', scopes: ['administer'] };
    const { api_key: secret, key } = await world.create('hamlet', 'post', keysPath, form);
    const { id } = key as { id: number };
    const email = world.email('hamlet');
    const created = { name: 'second', scopes: JSON.stringify(['read']) };
    const countKeys = async () => (await world.rows('SELECT FROM api_keys WHERE user_id = $1', [userId])).length;
    let countAfterRevocation = 0;
    return {
      writes: [
        () =>
          world.send(null, 'post', `/api/v1/${keysPath}`, {
            form: created,
            headers: createBasicAuthorization(email, String(secret)),
          }),
        async () => {
          const response = await world.write('hamlet', 'delete', `${keysPath}/${id}`);
          countAfterRevocation = await countKeys();
          return response;
        },
      ],
      async check([creation, revocation]) {
        const count = await countKeys();
        const isRight = revocation.status === 200 && count === (creation.status === 200 ? 1 : 0);
        return [
          ...(isRight ? [] : [`${creation.status} and ${revocation.status}, but ${count} keys`]),
          ...(count === countAfterRevocation ? [] : ['a revoked key has created a key']),
        ];
      },
    };
  },
};

/** Email address of the demo user whose password is reset. This user sends no other writes. */
const forgetfulEmail = 'aaron@example.com';

async function newResetToken(world: ChatWorld): Promise<string> {
  const token = randomBytes(24).toString('hex');
  await world.rows(
    `INSERT INTO password_resets (user_id, token_digest, account_digest, expires_at)
     SELECT id, $2, encode(sha256(convert_to(coalesce(password_hash, '') || ' ' || delivery_email_key, 'UTF8')), 'hex'),
       now() + interval '1 hour'
     FROM users WHERE delivery_email_key = $1
     ON CONFLICT (user_id) DO UPDATE SET token_digest = excluded.token_digest,
       account_digest = excluded.account_digest, expires_at = excluded.expires_at`,
    [forgetfulEmail, digestResetToken(token)],
  );
  return token;
}

const resetRace: ChatRacePair = {
  slice: 'password reset',
  title: 'a reset link is used twice',
  deletes: true,
  async arrange(world) {
    const path = `/accounts/password/reset/${await newResetToken(world)}/`;
    const passwords = ['first', 'second'].map((word) => `${word} ${randomBytes(12).toString('hex')}`);
    const use =
      (password = '') =>
      () =>
        world.send(null, 'post', path, {
          form: { password, csrfmiddlewaretoken: 'abc' },
          headers: { cookie: 'csrftoken=abc' },
        });
    return {
      writes: [use(passwords[0]), use(passwords[1])],
      async check(responses) {
        const statuses = responses.map(({ status }) => status);
        if (statuses.toSorted().join() !== '200,404') return [`the link was used with ${statuses.join()}`];
        const form = { username: forgetfulEmail, password: passwords[statuses.indexOf(200)] ?? '' };
        const { status } = await world.send(null, 'post', '/api/v1/fetch_api_key', { form });
        return status === 200 ? [] : [`the new password is refused with ${status}`];
      },
    };
  },
};

/** Pairs of concurrent writes to API keys and passwords, with their allowed results. */
export const credentialPairs: readonly ChatRacePair[] = [keyRace, resetRace];
