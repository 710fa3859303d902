import { Redis } from 'ioredis';
import { it } from 'vitest';
import type { EventLogOptions, QueuePool } from '../src/index.js';
import { redisUrl } from './queue-test-support.js';

/** Store on which the specs of the event log run. The Vitest project `queue-in-tables` runs them on tables. */
const chosenStore = process.env['EVENT_LOG_STORE'] === 'tables' ? 'tables' : 'redis';

/** Returns the options of an event log for the store on which the specs run. */
export function storeOptions(): Pick<EventLogOptions, 'redis' | 'store'> {
  return chosenStore === 'tables' ? { store: 'tables' } : { redis: redisUrl };
}

/** Registers a test whose subject is Redis itself, or a loss of data in Redis. Does nothing on another store. */
export const itOnRedis: (name: string, test: () => Promise<void>) => void = (name, test) => {
  if (chosenStore === 'redis') it(name, test);
};

/** Properties of a stored event queue that tests read and change. */
interface QueueState {
  state: string;
  token: string;
  skip: string;
  acknowledged: number;
  expiresAtMs: number;
}

/** The stored event log of a realm, which tests inspect and change behind the event log. */
export interface StoredLog {
  last(): Promise<number>;
  floor(): Promise<number>;
  /** Returns the log position, the outbox row id and the previous position of each entry. */
  entries(): Promise<{ unit: number; row: string; previous: number }[]>;
  findQueue(id: string): Promise<QueueState | null>;
  changeQueue(id: string, changes: Partial<Pick<QueueState, 'state' | 'token' | 'expiresAtMs'>>): Promise<void>;
  /** Deletes a queue without a notification of its pending poll. */
  deleteQueue(id: string): Promise<void>;
  /** Returns the ids of all queues without tombstones, in ascending order. */
  listQueues(): Promise<string[]>;
  /** Returns the ids of all tombstones, in ascending order. */
  listTombstones(): Promise<string[]>;
  /** Returns the number of stored queues and tombstones, of which no part may remain after their removal. */
  countQueueRecords(): Promise<number>;
  setFloor(floor: number): Promise<void>;
  deleteAll(): Promise<void>;
}

const connections: Redis[] = [];

/** Closes the connections of {@link openStoredLog}. */
export function closeStoredLogs(): void {
  for (const redis of connections.splice(0)) redis.disconnect();
}

/** Returns a function that returns the stored log of a realm under a prefix of Redis keys. */
export function openStoredLog(pool: QueuePool): (prefix: string, realm: string) => StoredLog {
  if (chosenStore === 'tables') return (_prefix, realm) => new LogInTables(pool, realm);
  const redis = new Redis(redisUrl);
  connections.push(redis);
  return (prefix, realm) => new LogInRedis(redis, `{${prefix}:${realm}}`);
}

class LogInRedis implements StoredLog {
  constructor(
    private readonly redis: Redis,
    private readonly root: string,
  ) {}

  async last(): Promise<number> {
    return Number((await this.redis.hget(`${this.root}:meta`, 'last')) ?? 0);
  }

  async floor(): Promise<number> {
    return Number((await this.redis.hget(`${this.root}:meta`, 'floor')) ?? 0);
  }

  async entries(): Promise<{ unit: number; row: string; previous: number }[]> {
    const entries = await this.redis.xrange(`${this.root}:log`, '-', '+');
    return entries.map(([id, fields]) => ({
      unit: Number.parseInt(id, 10),
      row: fields[1]!,
      previous: Number(fields[3]),
    }));
  }

  async findQueue(id: string): Promise<QueueState | null> {
    const { state, token = '', skip = '' } = await this.redis.hgetall(`${this.root}:q:${id}`);
    if (state === undefined) return null;
    const [acknowledged, expiresAtMs] = [
      await this.redis.zscore(`${this.root}:cursors`, id),
      await this.redis.zscore(`${this.root}:${state === 'gone' ? 'gone' : 'due'}`, id),
    ].map(Number);
    return { state, token, skip, acknowledged: acknowledged ?? 0, expiresAtMs: expiresAtMs ?? 0 };
  }

  async changeQueue(id: string, { expiresAtMs, ...fields }: Partial<QueueState>): Promise<void> {
    if (Object.keys(fields).length > 0) await this.redis.hset(`${this.root}:q:${id}`, fields);
    if (expiresAtMs === undefined) return;
    for (const name of ['due', 'gone']) await this.redis.zadd(`${this.root}:${name}`, 'XX', expiresAtMs, id);
  }

  async deleteQueue(id: string): Promise<void> {
    await this.redis.del(`${this.root}:q:${id}`);
  }

  async listQueues(): Promise<string[]> {
    return (await this.redis.zrange(`${this.root}:due`, '0', '-1')).toSorted();
  }

  async listTombstones(): Promise<string[]> {
    return (await this.redis.zrange(`${this.root}:gone`, '0', '-1')).toSorted();
  }

  async countQueueRecords(): Promise<number> {
    const counts = [(await this.redis.keys(`${this.root}:q:*`)).length];
    for (const name of ['cursors', 'due', 'owners', 'gone', 'goneOwners'])
      counts.push(await this.redis.zcard(`${this.root}:${name}`));
    return Math.max(...counts);
  }

  async setFloor(floor: number): Promise<void> {
    await this.redis.hset(`${this.root}:meta`, 'floor', floor);
  }

  async deleteAll(): Promise<void> {
    await this.redis.del(await this.redis.keys(`${this.root}:*`));
  }
}

class LogInTables implements StoredLog {
  constructor(
    private readonly pool: QueuePool,
    private readonly realm: string,
  ) {}

  async last(): Promise<number> {
    return (
      (await this.#query<{ n: number }>('SELECT last::int AS n FROM queue.event_log_state WHERE realm = $1'))[0]?.n ?? 0
    );
  }

  async floor(): Promise<number> {
    return (
      (await this.#query<{ n: number }>('SELECT floor::int AS n FROM queue.event_log_state WHERE realm = $1'))[0]?.n ??
      0
    );
  }

  entries(): Promise<{ unit: number; row: string; previous: number }[]> {
    return this.#query(
      `SELECT unit::int, row_id::text AS row, previous_unit::int AS previous
       FROM queue.event_log_entry WHERE realm = $1 ORDER BY unit`,
    );
  }

  async findQueue(id: string): Promise<QueueState | null> {
    const [found] = await this.#query<QueueState>(
      `SELECT state, token, skip, acknowledged::int, extract(epoch FROM expires_at)::float * 1000 AS "expiresAtMs"
       FROM queue.event_queue WHERE realm = $1 AND id = $2`,
      id,
    );
    return found ?? null;
  }

  async changeQueue(id: string, { state, token, expiresAtMs }: Partial<QueueState>): Promise<void> {
    await this.#query(
      `UPDATE queue.event_queue SET state = coalesce($3, state), token = coalesce($4, token),
         expires_at = coalesce(to_timestamp($5::float / 1000), expires_at)
       WHERE realm = $1 AND id = $2`,
      id,
      state ?? null,
      token ?? null,
      expiresAtMs ?? null,
    );
  }

  async deleteQueue(id: string): Promise<void> {
    await this.#query('DELETE FROM queue.event_queue WHERE realm = $1 AND id = $2', id);
  }

  async listQueues(): Promise<string[]> {
    return this.#listIds("state <> 'gone'");
  }

  async listTombstones(): Promise<string[]> {
    return this.#listIds("state = 'gone'");
  }

  async countQueueRecords(): Promise<number> {
    return (await this.#query('SELECT FROM queue.event_queue WHERE realm = $1')).length;
  }

  async setFloor(floor: number): Promise<void> {
    await this.#query('UPDATE queue.event_log_state SET floor = $2 WHERE realm = $1', floor);
  }

  async deleteAll(): Promise<void> {
    for (const table of ['event_log_state', 'event_log_entry', 'event_queue']) {
      await this.#query(`DELETE FROM queue.${table} WHERE realm = $1`);
    }
  }

  async #listIds(condition: string): Promise<string[]> {
    const sql = `SELECT id FROM queue.event_queue WHERE realm = $1 AND ${condition}`;
    return (await this.#query<{ id: string }>(sql)).map(({ id }) => id).toSorted();
  }

  async #query<R>(sql: string, ...params: unknown[]): Promise<R[]> {
    return (await this.pool.query<R>(sql, [this.realm, ...params])).rows;
  }
}
