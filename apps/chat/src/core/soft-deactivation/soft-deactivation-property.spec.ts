import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { softDeactivateUsers } from './index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import {
  type Operation,
  people,
  perform,
  RandomOperations,
  type World,
} from '../../../test/random-client-operations.js';

const seed = Number(process.env['SOFT_SEED'] ?? 2);
const steps = Number(process.env['SOFT_STEPS'] ?? 30);

interface Side {
  readonly cluster: ChatCluster;
  readonly chat: ChatProcess;
  readonly users: ReadonlyMap<string, DemoUser>;
}

let soft: Side;
let plain: Side;

beforeAll(async () => {
  [soft, plain] = await Promise.all([startSide(), startSide()]);
});
afterAll(() => Promise.all([soft, plain].map((side) => side.cluster.stop())));

async function startSide(): Promise<Side> {
  const cluster = await chatCluster();
  const chat = await cluster.start();
  const users = new Map<string, DemoUser>();
  for (const name of people) users.set(name, await signIn(chat, name));
  return { cluster, chat, users };
}

const rows = async <R>({ chat }: Side, sql: string, params: unknown[] = []): Promise<R[]> =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

/**
 * Reads the `user_messages` rows of all users as texts. Each text contains the user's name, the message id and the
 * flags.
 */
const allRows = (side: Side) =>
  rows<{ row: string }>(
    side,
    `SELECT concat_ws(' ', u.full_name, um.message_id, um.flags) AS row
     FROM user_messages um JOIN users u ON u.id = um.user_id ORDER BY um.user_id, um.message_id`,
  );

/** Reads the message and user ids of pending emails about missed messages. */
const listMissedMessages = (side: Side) =>
  rows(side, 'SELECT user_id, message_id FROM missed_messages ORDER BY user_id, message_id');

/** Sets the time of the users' last request to a month ago, and soft-deactivates the users. */
async function sendAway(side: Side, userIds: readonly number[]): Promise<void> {
  const { database, eventLog, credentials } = side.chat.runtime;
  await rows(
    side,
    `INSERT INTO user_activity (user_id, last_request_at) SELECT unnest($1::int[]), now() - interval '30 days'
     ON CONFLICT (user_id) DO UPDATE SET last_request_at = excluded.last_request_at`,
    [userIds],
  );
  // A real absence lasts longer than cached credentials, so they must be evicted here.
  await Promise.all(userIds.map((id) => credentials.evictByTag(`user:${id}`)));
  await softDeactivateUsers({ database, eventLog, days: 14 }, new AbortController().signal);
}

async function worldOf(side: Side): Promise<World> {
  const channels = await rows<World['channels'][number]>(
    side,
    `SELECT id, name FROM channels WHERE name IN ('Verona', 'Denmark', 'Scotland', 'core team', 'private') ORDER BY id`,
  );
  const messages = await rows<World['messages'][number]>(
    side,
    `SELECT m.id, lower(split_part(u.delivery_email, '@', 1)) AS sender
     FROM messages m JOIN recipients r ON r.id = m.recipient_id JOIN users u ON u.id = m.sender_id
     WHERE r.channel_id = ANY($1) ORDER BY m.id`,
    [channels.map(({ id }) => id)],
  );
  const ids = Object.fromEntries([...side.users].map(([name, user]) => [name, user.id]));
  return { ids, channels, messages };
}

const createPrivate: Operation = {
  by: 'desdemona',
  method: 'POST',
  path: '/users/me/subscriptions',
  form: {
    subscriptions: JSON.stringify([{ name: 'private' }]),
    invite_only: 'true',
    history_public_to_subscribers: 'false',
  },
};

async function runOnBoth(operation: Operation): Promise<[unknown, unknown]> {
  return Promise.all([perform(soft.users, operation), perform(plain.users, operation)]);
}

describe('soft deactivation', () => {
  it(
    `leads to the same responses and rows as a realm without soft deactivation (SOFT_SEED=${seed} SOFT_STEPS=${steps})`,
    { timeout: 30_000 + steps * 1_000 },
    async () => {
      const random = new RandomOperations(seed);
      await runOnBoth(createPrivate);
      let world = await worldOf(plain);
      await sendAway(
        soft,
        people.slice(2).map((name) => world.ids[name]!),
      );
      await runOnBoth({
        by: 'desdemona',
        method: 'POST',
        path: '/messages',
        form: { type: 'stream', to: 'Verona', topic: 'plain', content: 'plain' },
      });
      const history: Operation[] = [];
      let skipped = 0;
      for (let step = 0; step < steps; step += 1) {
        if (random.happens(0.25)) {
          const away = people.slice(1).filter(() => random.happens(0.6));
          await sendAway(
            soft,
            away.map((name) => world.ids[name]!),
          );
        }
        const operation = random.next(world);
        history.push(operation);
        const [found, expected] = await runOnBoth(operation);
        expect(found, JSON.stringify(history.slice(-15), null, 1)).toEqual(expected);
        world = await worldOf(plain);
        const [readers, expectedReaders] = await runOnBoth(random.receipts(world));
        expect(readers, JSON.stringify(history.slice(-15), null, 1)).toEqual(expectedReaders);
        const [present, all] = await Promise.all([allRows(soft), allRows(plain)]);
        skipped = Math.max(skipped, all.length - present.length);
      }
      expect(skipped).toBeGreaterThan(0);
      for (const name of people.slice(1)) {
        await runOnBoth({ by: 'desdemona', method: 'POST', path: `/users/${world.ids[name]}/reactivate` });
      }
      for (const by of people) {
        const [found, expected] = await runOnBoth({
          by,
          method: 'POST',
          path: '/register',
          form: { fetch_event_types: '["message","update_message_flags","subscription"]' },
        });
        expect(found).toEqual(expected);
      }
      expect(await rows(soft, 'SELECT user_id FROM soft_deactivations')).toEqual([]);
      expect((await allRows(soft)).map(({ row }) => row)).toEqual((await allRows(plain)).map(({ row }) => row));
      await expect
        .poll(
          async () =>
            JSON.stringify(await listMissedMessages(soft)) === JSON.stringify(await listMissedMessages(plain)),
          {
            timeout: 10_000,
          },
        )
        .toBe(true);
    },
  );
});
