import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { allFieldsSelection } from '../src/engine/read/object-json-fragments.js';
import { ObjectJsonSqlCache } from '../src/engine/read/object-json-sql.js';
import { getCachedSqlText } from '../src/engine/sql/parameterized-statement.js';
import { modelRegistry } from '../src/models/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the growth of the JavaScript heap, in MB, that remains after `run`. */
function growthOf(run: () => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  run();
  collectGarbage();
  return (process.memoryUsage().heapUsed - before) / 1024 / 1024;
}

describe('ObjectJsonSqlCache.pageSqlWithTypes', () => {
  it('caches no long expressions for fields that clients select', () => {
    const model = modelRegistry.find('core.objectchange');
    if (model === null) throw new Error('The model of change records is missing');
    const types = modelRegistry.models.map(({ type }) => type);
    const shapes = new ObjectJsonSqlCache(modelRegistry);
    const names = Object.keys(model.fields).filter((name) => name !== 'changed_object');
    let characters = 0;
    const growth = growthOf(() => {
      for (let subset = 0; subset < 150; subset += 1) {
        const chosen = names.filter((_, index) => (subset & (1 << index)) > 0);
        const selection = { ...allFieldsSelection, fields: ['changed_object', ...chosen] };
        characters += shapes.getPageSqlWithTypes(model, selection, types).length;
      }
    });
    expect(characters).toBeGreaterThan(15_000_000);
    expect(growth).toBeLessThan(8);
    expect(shapes.getPageSqlWithTypes(model, allFieldsSelection, ['dcim.site'])).toContain('dcim_site');
  });
});

describe('getCachedSqlText', () => {
  it('caches texts up to a limited total length', () => {
    const growth = growthOf(() => {
      for (let n = 0; n < 500; n += 1) getCachedSqlText('SELECT ', `${n} ${'x'.repeat(200_000)}`, ' FROM t');
    });
    expect(growth).toBeLessThan(40);
  });
});
