import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clock, systemClock } from '@switchboard/platform';
import { chance } from './random-numbers.js';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from './chat-server.js';
import { type Made, nextAct } from './conversation/random-user-actions.js';
import { ConversationClient } from './conversation/simulated-client.js';

/**
 * Number of random actions in the test, from the environment variable CONVERSATION_ACTS (`npm run test:fuzz` runs
 * thousands). Equal values of CONVERSATION_SEED produce equal actions.
 */
const acts = Number(process.env['CONVERSATION_ACTS'] ?? '') || 30;
const seed = Number(process.env['CONVERSATION_SEED'] ?? '') || Date.now() % 1_000_000_007;

const names = ['desdemona', 'iago', 'shiva', 'AARON', 'hamlet', 'cordelia', 'polonius', 'ZOE', 'othello', 'prospero'];
const hourMs = 3_600_000;
/** Number of random actions that run concurrently. */
const together = 4;

/** Number of milliseconds by which the service's test clock is ahead of the system clock. */
let skewMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs };

let cluster: ChatCluster;
let processes: ChatProcess[];
let people: Record<string, ConversationClient>;
let made: Made;

beforeAll(async () => {
  console.log(`CONVERSATION_SEED=${seed}`);
  cluster = await chatCluster();
  processes = [await cluster.start({}, clock), await cluster.start({}, clock)];
  const entries = await Promise.all(
    names.map(async (name, index) => {
      const user = await signIn(processes[index % 2]!, name);
      return [name, new ConversationClient(name, user, processes, index % 3 === 0 ? 'older' : 'newer')] as const;
    }),
  );
  people = Object.fromEntries(entries);
  const { rows } = await processes[0]!.runtime.database.query<{ id: number }>('SELECT id FROM channels ORDER BY id');
  const empty = { groups: [0], folders: [0], bots: [0], drafts: [0], snippets: [0], linkifiers: [0], playgrounds: [0] };
  made = { channels: rows.map(({ id }) => id), messages: [1, 2, 3], ...empty };
});
afterAll(() => cluster.stop());

/**
 * Dispatches all committed events. Then each test client reads the pending events of its queue from a random process.
 */
async function everybodyFollows(random: () => number): Promise<void> {
  await processes[0]!.runtime.eventLog.sweep();
  for (const client of Object.values(people)) await client.follow(Math.floor(random() * 2));
}

it(
  'events of ten users with an hour of random activity update an old snapshot to a fresh snapshot',
  { timeout: 60_000 + acts * 200 },
  async () => {
    const random = chance(seed);
    await everybodyFollows(random);
    for (let done = 0; done < acts; done += together) {
      const chosen = Array.from({ length: together }, () => nextAct({ people, made, random }));
      const results = await Promise.allSettled(chosen.map((act) => act()));
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
      await everybodyFollows(random);
      skewMs += (hourMs * together) / acts;
    }
    for (const client of Object.values(people)) {
      await people['iago']!.request(0, 'post', `users/${client.id}/reactivate`);
      await client.follow(0);
    }
    await everybodyFollows(random);
    for (const [index, client] of Object.values(people).entries()) {
      const { byEvents, afresh } = await client.compare(index);
      expect(byEvents, `CONVERSATION_SEED=${seed}: ${client.name}`).toEqual(afresh);
    }
  },
);
