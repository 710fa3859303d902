import { afterAll, beforeAll, expect, it } from 'vitest';
import { readChatResponse } from './classify-responses.js';
import { ChatUser } from './chat/chat-user.js';
import { Findings } from './findings.js';
import { member } from './http.js';
import { pause } from './abortable-pause.js';
import { Random } from './random.js';
import type { Realm } from './registration/changes.js';
import { RealmWriter } from './registration/realm-writer.js';
import { clientForms, Watcher } from './registration/watcher.js';
import { printCounts } from './print-counts.js';
import { Deployment } from './services/deployment.js';
import { readFaultSettings } from './settings.js';
import { listOf } from './state/json.js';
import { type StoreAddresses, sharedStores } from './stores/stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);
const findings = new Findings();
let stores: StoreAddresses;
let chat: Deployment;
let owner: ChatUser;
let watching: ChatUser[];
let writers: RealmWriter[];

beforeAll(async () => {
  stores = await sharedStores('registration', ['chat']);
  chat = await Deployment.start({ app: 'chat', apis: 2, workers: 0, stores });
  const signIn = (name: string): Promise<ChatUser> => ChatUser.signIn(chat.proxy.origin, name);
  owner = await signIn('desdemona');
  watching = await Promise.all(['iago', 'hamlet', 'polonius'].map(signIn));
  const others = await Promise.all(['cordelia', 'othello', 'ZOE', 'AARON', 'prospero'].map(signIn));
  const realm: Realm = {
    writers: [owner, ...watching.slice(0, 1)],
    members: [...watching, ...others.slice(0, 2)].map(({ id }) => id),
    movers: others.slice(2).map(({ id }) => id),
    channels: await idsOf('streams', 'stream_id'),
    groups: await madeGroups(),
    bots: await madeBots(),
  };
  writers = [1, 2, 3].map(() => new RealmWriter(realm, { random: random.fork(), findings }));
}, 300_000);

afterAll(async () => {
  await chat?.stop();
  await stores?.stop();
}, 120_000);

async function idsOf(path: string, key: string): Promise<number[]> {
  const verdict = readChatResponse(await owner.get(path, { include_all: 'true' }));
  return listOf(verdict.kind === 'done' ? member(verdict.body, 'streams') : []).map((one) => Number(one[key]));
}

async function madeGroups(): Promise<number[]> {
  const make = async (name: string): Promise<number> => {
    const form = { name, description: '', members: '[]' };
    const verdict = readChatResponse(await owner.call('POST', 'user_groups/create', form));
    return Number(verdict.kind === 'done' ? member(verdict.body, 'group_id') : Number.NaN);
  };
  return Promise.all(['first', 'second', 'third'].map(make));
}

async function madeBots(): Promise<number[]> {
  const form = { full_name: 'First bot', short_name: 'first' };
  const verdict = readChatResponse(await owner.call('POST', 'bots', form));
  return [Number(verdict.kind === 'done' ? member(verdict.body, 'user_id') : Number.NaN)];
}

/**
 * Runs one round of the test. While writers change data, clients register, and some clients register again to continue
 * their event queues. Then the writers pause, and each client compares its state with a new registration.
 */
async function round(number: number, older: readonly Watcher[]): Promise<Watcher[]> {
  const resting = new AbortController();
  const writing = Promise.all(writers.map((writer) => writer.run(resting.signal)));
  const registering = watching.flatMap((user) =>
    clientForms.map(async (form) => {
      await pause(random.integer(0, 200));
      return Watcher.register(user, form);
    }),
  );
  const fresh = await Promise.all(registering);
  await pause(random.integer(50, 200));
  const continuing = [...fresh, ...older].filter(() => random.integer(0, 1) === 0);
  await Promise.all(continuing.map((watcher) => watcher.registerAgain()));
  resting.abort();
  await writing;
  const content = `round ${number}`;
  const to = JSON.stringify(watching.map(({ id }) => id));
  await owner.call('POST', 'messages', { type: 'direct', to, content });
  const watchers = [...fresh, ...older];
  const differences = await Promise.all(watchers.map((watcher) => watcher.compare(content)));
  for (const difference of differences) if (difference !== null) findings.add(`round ${number}: ${difference}`);
  await Promise.all(older.map((watcher) => watcher.unregister()));
  return fresh;
}

it('POST /register during writes: all deltas and events together lead to the state of a new registration', async () => {
  let watchers: Watcher[] = [];
  const all: Watcher[] = [];
  for (let number = 1; number <= settings.rounds && findings.lines.length < 10; number += 1) {
    watchers = await round(number, watchers);
    all.push(...watchers);
  }
  printCounts('of registration', settings, {
    rounds: settings.rounds,
    registrations: all.length,
    changes: writers.reduce((sum, { done }) => sum + done, 0),
    'changes refused': writers.reduce((sum, { refused }) => sum + refused, 0),
    deltas: all.reduce((sum, { deltas }) => sum + deltas, 0),
    'events applied': all.reduce((sum, { events }) => sum + events, 0),
  });
  expect(findings.lines).toEqual([]);
  expect(all.some(({ deltas }) => deltas > 0)).toBe(true);
}, 3_600_000);
