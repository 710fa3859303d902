import { describe, expect, it } from 'vitest';
import { explore, type Mutant } from './event-log-delta-state-model.js';

describe('model of EventLog.register with lastKnown', () => {
  it('neither loses nor repeats a change in any order of steps (I11, I12)', () => {
    const found = explore({ rows: 2, losses: 0, queues: 2 });
    expect(found).toMatchObject({ violation: null });
    expect(found.deltas).toBeGreaterThan(100);
  });

  it('neither loses nor repeats a change when Redis returns to an earlier state', () => {
    const found = explore({ rows: 1, losses: 1, queues: 2 });
    expect(found).toMatchObject({ violation: null });
    expect(found.deltas).toBeGreaterThan(100);
  });

  it.each([
    'floor and cursor ignored',
    'floor ignored',
    'skipped rows of the new queue omitted',
    'all rows after the position included',
    'skip list of the old queue lost',
    'no drain',
  ] satisfies Mutant[])('detects a violation when the model contains the deliberate error: %s', (mutant) => {
    expect(explore({ rows: 2, losses: 0, queues: 2, mutant }).violation).not.toBeNull();
  });
});
