/**
 * Model of a registration that continues a client's former queue (docs/contract/event-log.md 4). The model has one log
 * and one client. The exploration covers every order of the steps of writers, dispatchers, expiry, trimming, losses in
 * Redis and the registration itself.
 */

/** State of an outbox row: not committed, committed without a number, or the log position of a numbered row. */
type Row = 'open' | 'committed' | number;

interface Queue {
  id: number;
  state: 'registering' | 'live' | 'gone';
  start: number;
  skip: number[];
  cursor: number;
}

interface Redis {
  /** Entries of the event log as pairs of log position and outbox row. */
  log: [unit: number, row: number][];
  last: number;
  floor: number;
  queues: Queue[];
}

/** State of a registration that continues a client's former queue, between two of its steps. */
interface Attempt {
  step: 'resumed' | 'read' | 'drained' | 'collected';
  id: number;
  oldSkip: number[];
  position: number;
  skip: number[];
  /** Highest log position that the registration must read. */
  end: number;
  delta: number[];
}

interface Client {
  /** Numbers of the outbox rows whose changes this client has applied. Null if the client must read a new snapshot. */
  known: number[] | null;
  queue: number;
  /** Log position up to which the client has applied the events of its queue. */
  unit: number;
  attempt: Attempt | null;
}

/** State of the model, which contains only JSON values. */
interface State {
  rows: Row[];
  /** Outbox rows that are still stored in PostgreSQL. */
  stored: number[];
  position: number;
  redis: Redis;
  saved: Redis | null;
  losses: number;
  queues: number;
  client: Client;
}

/** Deliberate errors in variants of the model. The exploration must find each error. */
export type Mutant =
  | 'floor ignored'
  | 'floor and cursor ignored'
  | 'skipped rows of the new queue omitted'
  | 'all rows after the position included'
  | 'skip list of the old queue lost'
  | 'no drain';

/** Limits of an exploration of the model. */
export interface Bounds {
  rows: number;
  losses: number;
  /** Maximum number of event queues that the client of the model registers. */
  queues: number;
  mutant?: Mutant;
}

/**
 * Result of an exploration of the model: the number of explored states, and the first violated invariant with the steps
 * that lead to the violation.
 */
export interface Exploration {
  states: number;
  deltas: number;
  violation: string | null;
}

/** Error of a model step that violates an invariant. */
class Violation extends Error {}

type Step = (state: State, bounds: Bounds) => readonly (readonly [name: string, apply: (next: State) => void])[];

const emptyRedis = (): Redis => ({ log: [], last: 0, floor: 0, queues: [] });

/** Explores all reachable states of the model, until an invariant is violated. */
export function explore(bounds: Bounds): Exploration {
  const first: State = {
    rows: Array.from({ length: bounds.rows }, () => 'open'),
    stored: [],
    position: 0,
    redis: emptyRedis(),
    saved: null,
    losses: 0,
    queues: 0,
    client: { known: null, queue: 0, unit: 0, attempt: null },
  };
  const cameFrom = new Map<string, readonly [before: string, step: string]>([[JSON.stringify(first), ['', '']]]);
  const waiting = [...cameFrom.keys()];
  let deltas = 0;
  for (let at = 0; at < waiting.length; at += 1) {
    const before = waiting[at]!;
    const state: State = JSON.parse(before);
    for (const [name, apply] of steps.flatMap((step) => step(state, bounds))) {
      const next: State = JSON.parse(before);
      try {
        apply(next);
        checkClient(next);
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        const violation = [error.message, ...pathTo(before, cameFrom), name].join('; ');
        return { states: cameFrom.size, deltas, violation };
      }
      if (name === 'finalize') deltas += 1;
      const key = JSON.stringify(next);
      if (cameFrom.has(key)) continue;
      cameFrom.set(key, [before, name]);
      waiting.push(key);
    }
  }
  return { states: cameFrom.size, deltas, violation: null };
}

function pathTo(key: string, cameFrom: ReadonlyMap<string, readonly [string, string]>): string[] {
  const names: string[] = [];
  for (let at = cameFrom.get(key); at !== undefined && at[0] !== ''; at = cameFrom.get(at[0])) names.unshift(at[1]);
  return names;
}

/**
 * Checks that the client's state contains the events that the client received up to its position, and all changes in
 * its snapshot.
 */
function checkClient({ rows, client }: State): void {
  if (client.known === null) return;
  const known = new Set(client.known);
  if (known.size < client.known.length) throw new Violation('a change was received twice');
  for (const [row, value] of rows.entries()) {
    if (typeof value === 'number' && value <= client.unit && !known.has(row)) throw new Violation('a change was lost');
    if (value === 'open' && known.has(row)) throw new Violation('a change was received before its commit');
  }
}

const committed = (rows: readonly Row[]): number[] => rows.flatMap((row, id) => (row === 'open' ? [] : [id]));
const unnumbered = (rows: readonly Row[]): number[] => rows.flatMap((row, id) => (row === 'committed' ? [id] : []));
const queueOf = (redis: Redis, id: number): Queue | undefined => redis.queues.find((queue) => queue.id === id);

function assign(state: State): void {
  for (const id of unnumbered(state.rows)) state.rows[id] = state.position += 1;
}

/**
 * Appends the next log entry to the log in the model, or raises the floor above lost entries. The floor is the position
 * up to which entries may be missing. Returns false if nothing is left to do.
 */
function append({ rows, stored, position, redis }: State): boolean {
  const units = stored.map((id) => rows[id]).filter((unit): unit is number => typeof unit === 'number');
  const ahead = units.filter((unit) => unit > redis.last).toSorted((a, b) => a - b);
  if (redis.last >= position) return false;
  const next = ahead[0] ?? position + 1;
  if (next === redis.last + 1) {
    redis.log.push([next, rows.indexOf(next)]);
    redis.last = next;
  } else {
    redis.log = [];
    redis.last = redis.floor = next - 1;
  }
  return true;
}

const writing: Step = ({ rows, stored, position, redis }) => [
  ...rows.flatMap((row, id) =>
    row === 'open'
      ? [
          [
            `commit ${id}`,
            (next: State) => {
              next.rows[id] = 'committed';
              next.stored.push(id);
            },
          ] as const,
        ]
      : [],
  ),
  ...(unnumbered(rows).length > 0 ? [['assign', assign] as const] : []),
  ...(redis.last < position ? [['append', (next: State) => void append(next)] as const] : []),
  ...stored.flatMap((id) => {
    const unit = rows[id];
    if (typeof unit !== 'number' || unit > redis.last) return [];
    return [[`delete ${id}`, (next: State) => void (next.stored = next.stored.filter((one) => one !== id))] as const];
  }),
];

function trimTo(redis: Redis, unit: number): void {
  redis.floor = Math.max(redis.floor, Math.min(unit, redis.last));
  redis.log = redis.log.filter(([one]) => one > redis.floor);
}

const maintenance: Step = ({ redis, saved, losses }, { losses: most, mutant }) => [
  ...redis.queues.map(
    ({ id, state }) =>
      [
        `collect ${id}`,
        (next: State) => {
          const queue = queueOf(next.redis, id)!;
          if (state === 'live') queue.state = 'gone';
          else next.redis.queues = next.redis.queues.filter((one) => one !== queue);
        },
      ] as const,
  ),
  [
    'trim',
    ({ redis: next }) => {
      const kept = next.queues.filter(({ state }) => state !== 'gone' || !mutant?.includes('cursor'));
      trimTo(next, Math.min(next.last, ...kept.map(({ cursor }) => cursor)));
    },
  ],
  ['trim by the hard cap', ({ redis: next }) => trimTo(next, next.last)],
  ...(saved === null && most > 0 ? [['save', (next: State) => void (next.saved = next.redis)] as const] : []),
  ...(losses < most
    ? [
        [
          'lose',
          (next: State) => {
            next.redis = next.saved ?? emptyRedis();
            next.losses += 1;
          },
        ] as const,
      ]
    : []),
];

const polling: Step = ({ redis, client }) => {
  const queue = queueOf(redis, client.queue);
  if (client.known === null || client.attempt !== null || queue?.state !== 'live') return [];
  return [
    [
      'poll',
      (next) => {
        const polled = queueOf(next.redis, client.queue)!;
        if (client.unit <= redis.last) polled.cursor = Math.max(polled.cursor, client.unit);
        if (redis.floor > client.unit) next.client = needsSnapshot();
        else if (client.unit < redis.last) {
          const row = next.redis.log.find(([unit]) => unit === client.unit + 1)?.[1];
          if (row === undefined) throw new Violation('a poll read a trimmed entry');
          next.client.unit += 1;
          if (!polled.skip.includes(row)) next.client.known = [...client.known!, row].toSorted((a, b) => a - b);
        }
      },
    ],
  ];
};

const needsSnapshot = (): Client => ({ known: null, queue: 0, unit: 0, attempt: null });

/**
 * Model step that registers the client with a new snapshot. The parts of this registration are one step here; section 8
 * of docs/contract/event-log.md covers their order.
 */
const snapshotRegistration: Step = ({ queues, client }, bounds) => {
  if (client.known !== null || queues >= bounds.queues) return [];
  return [
    [
      'register',
      (next) => {
        const { rows, position } = next;
        const id = (next.queues += 1);
        const skip = unnumbered(rows);
        next.redis.queues.push({ id, state: 'live', start: position, skip, cursor: position });
        next.client = { known: committed(rows), queue: id, unit: position, attempt: null };
      },
    ],
  ];
};

const namingRegistration: Step = ({ redis, queues, client }, { queues: most, mutant }) => {
  const { known, attempt, unit } = client;
  if (known === null) return [];
  if (attempt === null) {
    const old = queueOf(redis, client.queue);
    const ignoresFloor = mutant?.startsWith('floor') ?? false;
    const served = old !== undefined && old.state !== 'registering' && (redis.floor <= unit || ignoresFloor);
    if (!served || queues >= most) return [];
    return [['resume', (next) => resume(next, mutant)]];
  }
  const crash = ['crash', (next: State) => void (next.client.attempt = null)] as const;
  if (attempt.step === 'resumed') return [crash, ['read the snapshot', readSnapshot]];
  if (attempt.step === 'read') return [crash, ['drain', (next) => drain(next, mutant)]];
  if (attempt.step === 'drained') return [crash, ['read the delta', (next) => readDelta(next, mutant)]];
  return [
    crash,
    ['finalize', (next) => finalize(next, true)],
    ['finalize, and lose the response', (next) => finalize(next, false)],
  ];
};

function resume(next: State, mutant: Mutant | undefined): void {
  const { redis, client } = next;
  const old = queueOf(redis, client.queue)!;
  const id = (next.queues += 1);
  const cursor = mutant?.includes('cursor') ? redis.last : Math.min(client.unit, redis.last);
  redis.queues.push({ id, state: 'registering', start: 0, skip: [], cursor });
  const oldSkip = mutant === 'skip list of the old queue lost' ? [] : old.skip;
  client.attempt = { step: 'resumed', id, oldSkip, position: 0, skip: [], end: 0, delta: [] };
}

function readSnapshot({ rows, position, client }: State): void {
  Object.assign(client.attempt!, { step: 'read', position, skip: unnumbered(rows) } satisfies Partial<Attempt>);
}

function drain(next: State, mutant: Mutant | undefined): void {
  const attempt = next.client.attempt!;
  if (mutant !== 'no drain') {
    assign(next);
    while (append(next));
  }
  Object.assign(attempt, { step: 'drained', end: mutant === 'no drain' ? next.redis.last : next.position });
}

function readDelta({ redis, client }: State, mutant: Mutant | undefined): void {
  const attempt = client.attempt!;
  const { end, position, skip, oldSkip } = attempt;
  const isRefused = (redis.floor > client.unit && !mutant?.startsWith('floor')) || redis.last < end;
  if (isRefused) {
    redis.queues = redis.queues.filter(({ id }) => id !== attempt.id);
    Object.assign(client, needsSnapshot());
    return;
  }
  for (let unit = client.unit + 1; unit <= end; unit += 1) {
    const row = redis.log.find(([one]) => one === unit)?.[1];
    if (row === undefined) throw new Violation('a delta read a trimmed entry');
    const isSkipped = skip.includes(row) && mutant !== 'skipped rows of the new queue omitted';
    const isIncluded = unit <= position || isSkipped || mutant === 'all rows after the position included';
    if (isIncluded && !oldSkip.includes(row)) attempt.delta.push(row);
  }
  attempt.step = 'collected';
}

function finalize({ rows, redis, client }: State, isReceived: boolean): void {
  const { id, position, skip, delta } = client.attempt!;
  client.attempt = null;
  const queue = queueOf(redis, id);
  if (queue?.state !== 'registering') return;
  Object.assign(queue, { state: 'live', start: position, skip, cursor: position } satisfies Partial<Queue>);
  if (!isReceived) return;
  client.known = [...client.known!, ...delta].toSorted((a, b) => a - b);
  client.queue = id;
  client.unit = position;
  const snapshot = rows.flatMap((row, one) =>
    (typeof row === 'number' && row <= position) || skip.includes(one) ? [one] : [],
  );
  if (new Set(client.known).size < client.known.length) throw new Violation('a delta repeated a change');
  if (snapshot.join() !== client.known.join()) throw new Violation('old state and delta differ from the snapshot');
}

const steps: readonly Step[] = [writing, maintenance, polling, snapshotRegistration, namingRegistration];
