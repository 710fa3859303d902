import { isLongTestRun } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chance } from './random-numbers.js';
import { ChannelState } from './client-of-channels.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { collectingProcess, eventsWithDelta } from './expire-event-queues.js';

/**
 * Number of rounds of concurrent actions in the test, from the environment variable REPLAY_ROUNDS (`npm run test:fuzz`
 * uses a large number).
 */
const rounds = Number(process.env['REPLAY_ROUNDS'] ?? '') || (isLongTestRun() ? 2 : 1);

let cluster: ChatCluster;
let processes: ChatProcess[];
let people: Record<'desdemona' | 'iago' | 'hamlet' | 'cordelia' | 'polonius' | 'ZOE', DemoUser>;

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(collectingProcess), await cluster.start()];
  const names = ['desdemona', 'iago', 'hamlet', 'cordelia', 'polonius', 'ZOE'] as const;
  const entries = await Promise.all(
    names.map(async (name, index) => [name, await signIn(processes[index % 2]!, name)] as const),
  );
  people = Object.fromEntries(entries) as typeof people;
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

/** A test client that starts with a snapshot of the channels and updates the snapshot by events. */
interface Watcher {
  readonly name: string;
  /**
   * Returns two channel states for comparison: the state that the client computed from events, and the state of a
   * client that registers now.
   */
  compare(): Promise<{ byEvents: unknown; afresh: unknown }>;
}

const forms: Readonly<Record<string, Json>> = {
  'older client': {},
  'newer client': { archived_channels: true, notification_settings_null: true },
};

async function snapshot(user: DemoUser, form: Record<string, string>) {
  return (await user.client.post<Json & { queue_id: string }>('/api/v1/register', { form })).body;
}

async function watch(name: string, user: DemoUser, capabilities: Json): Promise<Watcher> {
  const form = {
    event_types: '["stream", "subscription", "default_streams"]',
    include_subscribers: 'true',
    client_capabilities: JSON.stringify(capabilities),
  };
  const began = await snapshot(user, form);
  const state = new ChannelState(user.id, began);
  return {
    name,
    async compare() {
      const events = await eventsWithDelta(processes[0]!, user, { queueId: began.queue_id, form });
      const now = new ChannelState(user.id, await snapshot(user, form));
      for (const event of events) state.apply(event);
      return { byEvents: state.toJSON(), afresh: now.toJSON() };
    },
  };
}

/** Registers all test clients one after another, so that database connections remain free for concurrent actions. */
async function watchAll(): Promise<Watcher[]> {
  const watchers: Watcher[] = [];
  for (const [name, user] of Object.entries(people)) {
    for (const [form, capabilities] of Object.entries(forms)) {
      watchers.push(await watch(`${name}, ${form}`, user, capabilities));
    }
  }
  return watchers;
}

async function expectExact(watchers: readonly Watcher[]): Promise<void> {
  for (const watcher of watchers) {
    const { byEvents, afresh } = await watcher.compare();
    expect(byEvents, watcher.name).toEqual(afresh);
  }
}

function texts(form: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

const subscriptions = '/api/v1/users/me/subscriptions';

const subscribe = (user: DemoUser, name: string, form: Json = {}) =>
  user.client.post<Json>(subscriptions, { form: texts({ subscriptions: [{ name }], ...form }) });
const unsubscribe = (user: DemoUser, name: string, form: Json = {}) =>
  user.client.delete<Json>(subscriptions, { form: texts({ subscriptions: [name], ...form }) });

async function idOf(name: string): Promise<number> {
  const { body } = await people.iago.client.get<{ stream_id?: number }>('/api/v1/get_stream_id', {
    query: { stream: name },
  });
  return body.stream_id ?? 0;
}

const update = async (user: DemoUser, name: string, form: Json) =>
  user.client.patch<Json>(`/api/v1/streams/${await idOf(name)}`, { form: texts(form) });

describe('list of channels that a client updates from events', () => {
  const members = { direct_members: [], direct_subgroups: [] };
  const actions: Record<string, () => Promise<{ body: Json }>> = {
    'making a channel': () => subscribe(people.hamlet, 'replay'),
    'making a private channel': () =>
      subscribe(people.hamlet, 'secret', { invite_only: true, principals: [people.hamlet.id, people.polonius.id] }),
    'making a default channel': () => subscribe(people.iago, 'for all', { is_default_stream: true }),
    'making a web-public channel': () => subscribe(people.desdemona, 'for the web', { is_web_public: true }),
    'making two channels': () =>
      subscribe(people.cordelia, '', { subscriptions: [{ name: 'one' }, { name: 'other' }, { name: 'replay' }] }),
    'letting others in': () => subscribe(people.iago, 'replay', { principals: [people.ZOE.id, people.polonius.id] }),
    leaving: () => unsubscribe(people.hamlet, 'replay'),
    'coming back': () => subscribe(people.hamlet, 'replay'),
    'putting guests out': () => unsubscribe(people.iago, 'replay', { principals: [people.polonius.id] }),
    muting: async () =>
      people.ZOE.client.post<Json>(`${subscriptions}/properties`, {
        form: {
          subscription_data: JSON.stringify([{ stream_id: await idOf('replay'), property: 'is_muted', value: true }]),
        },
      }),
    renaming: () => update(people.iago, 'replay', { new_name: 'Replayed', description: 'again' }),
    closing: () =>
      update(people.ZOE, 'Replayed', { is_private: true }).then(() =>
        update(people.hamlet, 'Replayed', { is_private: true }),
      ),
    'giving the right to enter': () =>
      update(people.hamlet, 'secret', {
        can_subscribe_group: { new: { ...members, direct_members: [people.ZOE.id] } },
      }),
    'taking the right to enter': () => update(people.hamlet, 'secret', { can_subscribe_group: { new: members } }),
    opening: () => update(people.hamlet, 'Replayed', { is_private: false }),
    'showing it on the web': () => update(people.desdemona, 'Replayed', { is_web_public: true }),
    archiving: async () => people.iago.client.delete<Json>(`/api/v1/streams/${await idOf('for all')}`),
    'bringing back': () => update(people.iago, 'for all', { is_archived: false, description: 'back' }),
  };

  it('equals a fresh snapshot after every action', { timeout: 60_000 }, async () => {
    const watchers = await watchAll();
    for (const [name, act] of Object.entries(actions)) {
      const { body } = await act();
      expect([name, body['msg'] === '' || name === 'taking the right to enter' ? '' : body['msg']]).toEqual([name, '']);
      await processes[0]!.runtime.eventLog.sweep();
    }
    await expectExact(watchers);
  });

  it('equals a fresh snapshot after concurrent actions', { timeout: 60_000 + rounds * 20_000 }, async () => {
    const seed = Date.now() % 100_000;
    for (let round = 0; round < rounds; round += 1) {
      const early = await watchAll();
      const work = Array.from({ length: 8 }, (_, lane) => actFor(chance(seed + 8 * round + lane), 5));
      const [late, ...failures] = await settled(watchAll(), work);
      expect(failures, `seed ${seed}, round ${round}`).toEqual([]);
      await settle(`seed ${seed}, round ${round}`, [...early, ...late]);
    }
  });

  /** Runs random actions on channels in sequence. Equal seeds of the random generator produce equal actions. */
  async function actFor(random: () => number, times: number): Promise<void> {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const users = Object.values(people);
    const names = ['r one', 'r two', 'r three', 'r four'];
    const acts: (() => Promise<unknown>)[] = [
      () => subscribe(pick(users), pick(names), { authorization_errors_fatal: false }),
      () => subscribe(people.iago, pick(names), { principals: [pick(users).id, pick(users).id] }),
      () => unsubscribe(pick(users), pick(names)),
      () => unsubscribe(people.iago, pick(names), { principals: [pick(users).id] }),
      () => update(people.desdemona, pick(names), { is_private: random() < 0.5 }),
      () => update(people.iago, pick(names), { description: String(random()) }),
      () => update(people.iago, pick(names), { new_name: pick(names) }),
      async () => people.iago.client.delete(`/api/v1/streams/${await idOf(pick(names))}`),
      () => update(people.iago, pick(names), { is_archived: false }),
      () => changeRole(people.polonius, pick([400, 600])),
      () => changeRole(people.ZOE, pick([200, 400, 600])),
    ];
    for (let time = 0; time < times; time += 1) await pick(acts)();
  }

  /** Waits for all promises. Returns the result of the first promise and the errors of the other promises. */
  async function settled<T>(first: Promise<T>, others: readonly Promise<void>[]): Promise<[T, ...unknown[]]> {
    const [result, ...rest] = await Promise.allSettled([first, ...others]);
    if (result.status === 'rejected') throw result.reason;
    return [result.value, ...rest.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))];
  }

  const changeRole = (user: DemoUser, role: number) =>
    people.desdemona.client.patch(`/api/v1/users/${user.id}`, { form: { role: String(role) } });

  async function settle(name: string, watchers: readonly Watcher[]): Promise<void> {
    for (const watcher of watchers) {
      const { byEvents, afresh } = await watcher.compare();
      expect(byEvents, `${name}: ${watcher.name}`).toEqual(afresh);
    }
  }
});
