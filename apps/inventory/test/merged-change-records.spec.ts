import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChangeRecorder } from '../src/changes/change-recorder.js';
import type { InventoryChange } from '../src/changes/inventory-change-message.js';
import { defineModel } from '../src/engine/declaration/define-model.js';
import { createModelRegistry } from '../src/engine/declaration/model-registry.js';
import { computedField, idField } from '../src/engine/field-types/computed-field.js';
import { ObjectJsonSqlCache } from '../src/engine/read/object-json-sql.js';
import { createComputedJsonFragment } from '../src/engine/sql/json-text-sql.js';
import type { ObjectChange } from '../src/engine/write/change-sink.js';
import {
  retryWithoutBatches,
  runStatementOnRowBatches,
  selectedRowsFromClauseSql,
  createSelectedRowValueSql,
} from '../src/engine/write/run-in-row-batches.js';
import { modelRegistry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Step = ObjectChange['event'];

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

/** Returns a recorded change of a region, as the change log stores it, from one numbered state to another. */
function change(id: number, event: Step, step: number): ObjectChange {
  const state = (at: number): string => JSON.stringify({ name: `state ${at}` });
  return {
    model: modelRegistry.find('dcim.region')!,
    id,
    event,
    data: state(event === 'deleted' ? step : step + 1),
    prechange: event === 'created' ? null : state(step),
    postchange: event === 'deleted' ? null : state(step + 1),
  };
}

/** Returns the event messages that the service sends for several recorded changes in one transaction. */
async function leaves(...goes: ObjectChange[][]): Promise<InventoryChange[]> {
  const { database, outbox } = test.inventory;
  const recorder = new ChangeRecorder(outbox);
  await database.inTransaction(async (tx) => {
    await tx.query('SELECT 1');
    for (const changes of goes) recorder.record(tx, changes, { userId: null, username: 'root', request: null });
    await Promise.all([recorder.writeCollectedChanges(tx), outbox.flush(tx)]);
  });
  const { rows } = await database.query<{ payload: InventoryChange }>(
    'WITH gone AS (DELETE FROM queue.outbox RETURNING id, payload) SELECT payload FROM gone ORDER BY id',
  );
  return rows.map(({ payload }) => payload);
}

const state = (at: number): object => ({ name: `state ${at}` });

describe('ChangeRecorder: several changes of one object (docs/contract/inventory.md 5.2)', () => {
  it.each<[steps: Step[], event: Step, prechange: object | null, postchange: object | null, data: object]>([
    [['created', 'updated'], 'created', null, state(2), state(2)],
    [['updated', 'updated', 'updated'], 'updated', state(0), state(3), state(3)],
    [['updated', 'deleted'], 'deleted', state(0), null, state(1)],
    [['created', 'deleted'], 'deleted', null, null, state(1)],
    [['created', 'updated', 'deleted'], 'deleted', null, null, state(2)],
  ])('merges the changes %j to %s', async (steps, event, prechange, postchange, data) => {
    const goes = steps.map((step, index) => [change(1, step, index)]);
    expect(await leaves(...goes)).toMatchObject([{ id: 1, event, data, snapshots: { prechange, postchange } }]);
  });

  it('orders records by the first change of each object', async () => {
    const left = await leaves(
      [change(3, 'updated', 0), change(1, 'updated', 0)],
      [change(2, 'created', 0), change(3, 'deleted', 1)],
    );
    expect(left.map(({ id, event }) => `${id} ${event}`)).toEqual(['3 deleted', '1 updated', '2 created']);
  });
});

describe('events of a request that changes a list', () => {
  it('describe first references set to null, and then deleted children before their parents', async () => {
    const add = async (slug: string, parent: number | null): Promise<number> => {
      const json = { name: slug, slug, parent };
      return (await test.api.post<{ id: number }>('/api/dcim/regions/', { json })).body.id;
    };
    const top = await add('top', null);
    const middle = await add('middle', top);
    const leaf = await add('leaf', middle);
    const site = await test.api.post<{ id: number }>('/api/dcim/sites/', {
      json: { name: 'S', slug: 's', region: leaf },
    });
    await leaves();
    expect((await test.api.delete('/api/dcim/regions/', { json: [{ id: top }, { id: leaf }] })).status).toBe(204);
    expect((await leaves()).map(({ model, id, event }) => `${model}:${id} ${event}`)).toEqual([
      `dcim.site:${site.body.id} updated`,
      `dcim.region:${leaf} deleted`,
      `dcim.region:${middle} deleted`,
      `dcim.region:${top} deleted`,
    ]);
  });

  it('come in order: creations first, then updates, then deletions', async () => {
    const slugs = ['m', 'z', 'a', 'k'];
    const { body: made } = await test.api.post<{ id: number; slug: string }[]>('/api/dcim/regions/', {
      json: slugs.map((slug) => ({ name: slug, slug })),
    });
    const created = await leaves();
    expect(created.map(({ data }) => data['slug'])).toEqual(slugs);
    const items = made.map(({ id }) => ({ id, description: 'changed' }));
    const { body: changed } = await test.api.patch<{ id: number }[]>('/api/dcim/regions/', {
      json: items.toReversed(),
    });
    expect((await leaves()).map(({ id }) => id)).toEqual(changed.map(({ id }) => id));
    await test.api.delete('/api/dcim/regions/', { json: items.map(({ id }) => ({ id })) });
    const deleted = await leaves();
    expect(deleted.map(({ id, event }) => `${id} ${event}`)).toEqual(made.map(({ id }) => `${id} deleted`));
    expect(new Set(deleted.map(({ requestId }) => requestId)).size).toBe(1);
  });
});

describe('ChangeRecorder.writeIfMany', () => {
  it('writes many changes with one SQL statement, in order and with one change record each', async () => {
    const { database, outbox } = test.inventory;
    const recorder = new ChangeRecorder(outbox);
    const ids = Array.from({ length: 201 }, (_, index) => 10_000 + index);
    const context = { userId: null, username: 'settled', request: null };
    const written = await database.inTransaction(async (tx) => {
      recorder.record(
        tx,
        ids.map((id) => change(id, 'updated', 0)),
        context,
      );
      recorder.record(
        tx,
        ids.map((id) => change(id, 'updated', 1)),
        context,
      );
      await recorder.writeIfMany(tx);
      const { rows } = await tx.query<{ id: number }>(
        `SELECT changed_object_id AS id FROM core_objectchange WHERE user_name = 'settled' ORDER BY id`,
      );
      await Promise.all([recorder.writeCollectedChanges(tx), outbox.flush(tx)]);
      return rows.map(({ id }) => id);
    });
    expect(written).toEqual(ids);
    const { rows } = await database.query<{ payload: InventoryChange }>('SELECT payload FROM queue.outbox ORDER BY id');
    expect(rows.map(({ payload }) => payload.id)).toEqual(ids);
    expect(rows.at(-1)?.payload.snapshots).toEqual({ prechange: state(0), postchange: state(2) });
  });
});

describe('runStatementOnRowBatches', () => {
  it('loads related objects row by row when the related objects of all rows exceed a size limit', async () => {
    const related = computedField({
      json: ({ scope: { batchLookup } }) => [
        createComputedJsonFragment(batchLookup === null ? `'"own"'` : `repeat('x', 1100000000)`),
      ],
      schema: {},
    });
    const toy = defineModel('toys.toy', {
      path: 'toys/toys',
      objectName: 'Toy',
      verboseName: 'toy',
      verboseNamePlural: 'toys',
      table: '(VALUES (1), (2))',
      fields: { id: idField(), related },
      display: (alias) => `${alias}.id`,
      brief: ['id'],
      order: [{ field: 'id' }],
    });
    const slice = { model: toy, source: `${toy.table} t (id) WHERE t.id > $2`, values: { double: 't.id * 2' } };
    const rows = await retryWithoutBatches((begin) =>
      test.inventory.database.inTransaction((tx) => {
        begin(tx);
        return runStatementOnRowBatches(
          tx,
          new ObjectJsonSqlCache(createModelRegistry([toy])),
          slice,
          ({ full }) =>
            `SELECT ${full} AS object, ${createSelectedRowValueSql('double')} AS double FROM ${selectedRowsFromClauseSql} ORDER BY t.id`,
          ['', 0],
        );
      }),
    );
    expect(rows).toEqual([1, 2].map((n) => ({ object: `{"id": ${n}, "related": "own"}`, double: 2 * n })));
  });
});
