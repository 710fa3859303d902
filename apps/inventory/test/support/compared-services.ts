import { expect } from 'vitest';
import { countOutdatedCablePaths } from '../../src/cable-paths/index.js';
import { modelRegistry } from '../../src/models/index.js';
import type { TestInventory } from './test-service.js';

type Json = Record<string, unknown>;

/** Returns the list of objects in a response, with empty values for `created` and `last_updated`. */
const withoutTimes = (body: unknown): unknown =>
  Array.isArray(body) ? body.map((object: Json) => ({ ...object, created: '', last_updated: '' })) : body;

const changed = `SELECT action, changed_object_type, changed_object_id, related_object_type, related_object_id, object_repr, message,
    prechange_data - 'last_updated' - 'created' AS prechange, postchange_data - 'last_updated' - 'created' AS postchange,
    dense_rank() OVER (ORDER BY first) AS request
  FROM (SELECT *, min(id) OVER (PARTITION BY request_id) AS first FROM core_objectchange WHERE id > $1) c ORDER BY id`;
const events = `SELECT key, (payload::jsonb - 'timestamp' - 'requestId' - 'request') #- '{data,created}' #- '{data,last_updated}'
    #- '{snapshots,prechange,created}' #- '{snapshots,postchange,created}' AS payload FROM queue.outbox ORDER BY id`;
const notifications = 'SELECT object_type, object_id, event_type, object_repr FROM extras_notification ORDER BY 1, 2';

async function stateOf({ inventory: { database } }: TestInventory, since: number): Promise<Json> {
  const state: Json = {
    changes: (await database.query(changed, [since])).rows,
    events: (await database.query(events)).rows,
    notifications: (await database.query(notifications)).rows,
    tags: (await database.query('SELECT object_type, object_id, tag_id FROM extras_taggeditem ORDER BY 1, 2, 3')).rows,
  };
  const unlike = /^(?:core\.object(?:change|type)|users\.(?:token|user)|extras\.(?:notification|webhook))$/u;
  for (const { type, table } of modelRegistry.models.filter((model) => !unlike.test(model.type))) {
    const rows = await database.query(
      `SELECT to_jsonb(t) - 'last_updated' - 'created' AS row FROM ${table} t ORDER BY to_jsonb(t) ->> 'id'`,
    );
    state[type] = rows.rows;
  }
  return state;
}

/** Two services with the same data, which receive the same requests: one writes in memory, the other in batches. */
export class ComparedServices {
  constructor(
    private readonly inMemory: TestInventory,
    private readonly staged: TestInventory,
  ) {}

  get #both(): readonly TestInventory[] {
    return [this.inMemory, this.staged];
  }

  /** Empties the outboxes of both services. Returns the id of the last change record of each service. */
  beginComparison(): Promise<number[]> {
    return Promise.all(
      this.#both.map(async ({ inventory: { database } }) => {
        await database.query('DELETE FROM queue.outbox');
        const { rows } = await database.query<{ n: number }>('SELECT max(id) AS n FROM core_objectchange');
        return rows[0]?.n ?? 0;
      }),
    );
  }

  /** Checks that both services have equal rows, change records and events, and correct cable paths. */
  async expectEqualStates(since: readonly number[]): Promise<void> {
    const [one, other] = await Promise.all([
      stateOf(this.inMemory, since[0] ?? 0),
      stateOf(this.staged, since[1] ?? 0),
    ]);
    expect(other).toEqual(one);
    expect(one['changes']).not.toEqual([]);
    for (const { inventory } of this.#both) {
      expect(await countOutdatedCablePaths(inventory.database)).toEqual({ obsolete: 0, missing: 0 });
    }
  }

  /** Sends the same list to both services, and checks that the responses are equal. Returns their status. */
  async writeInBoth(
    method: 'post' | 'patch' | 'put' | 'delete',
    path: string,
    items: readonly Json[],
  ): Promise<number> {
    const [one, other] = await Promise.all(
      this.#both.map(({ api }) => api[method]<unknown>(`/api/${path}/`, { json: items })),
    );
    expect([path, other?.status, withoutTimes(other?.body)]).toEqual([path, one?.status, withoutTimes(one?.body)]);
    return one?.status ?? 0;
  }
}
