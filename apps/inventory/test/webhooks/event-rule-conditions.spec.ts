import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  evaluateConditions,
  InvalidConditionsError,
  parseEventRuleConditions,
  UndecidableConditionError,
  type EventRuleConditions,
  type EvaluatedChange,
  type JsonValue,
} from '../../src/webhooks/conditions/index.js';

interface Cases {
  subject: EvaluatedChange;
  decided: { name: string; conditions: JsonValue; expect: boolean | 'undecidable' }[];
  refused: { name: string; conditions: JsonValue; error: string }[];
}

const cases: Cases = JSON.parse(readFileSync(new URL('conditions.cases.json', import.meta.url), 'utf8'));

function parse(value: JsonValue): EventRuleConditions {
  const conditions = parseEventRuleConditions(value);
  if (conditions === null) throw new Error('no conditions');
  return conditions;
}

function refusal(value: JsonValue): unknown {
  try {
    return parseEventRuleConditions(value);
  } catch (error) {
    return error;
  }
}

describe('compileConditions', () => {
  it.each(cases.decided)('evaluates: $name', ({ conditions, expect: expected }) => {
    const parsed = parse(conditions);
    if (expected === 'undecidable') {
      expect(() => evaluateConditions(parsed, cases.subject)).toThrow(UndecidableConditionError);
    } else {
      expect(evaluateConditions(parsed, cases.subject)).toBe(expected);
    }
  });

  it.each(cases.refused)('rejects: $name', ({ conditions, error }) => {
    expect(refusal(conditions)).toEqual(new InvalidConditionsError(error));
  });

  it('returns null for null and empty conditions', () => {
    expect(parseEventRuleConditions(null)).toBeNull();
    expect(parseEventRuleConditions({})).toBeNull();
  });

  it('rejects invalid and overlong patterns', () => {
    expect(refusal({ attr: 'a', value: '(', op: 'regex' })).toBeInstanceOf(InvalidConditionsError);
    expect(refusal({ attr: 'a', value: 'x'.repeat(1001), op: 'regex' })).toBeInstanceOf(InvalidConditionsError);
  });

  it('rejects nesting that would exhaust the stack', () => {
    let deep: JsonValue = { and: [] };
    for (let level = 0; level < 100_000; level += 1) deep = { and: [deep] };
    expect(refusal(deep)).toEqual(new InvalidConditionsError('Conditions may be nested at most 50 levels deep.'));
  });

  it('matches any regular expression in linear time', () => {
    const subject = { data: { text: 'a'.repeat(20_000) }, snapshots: { prechange: null, postchange: null } };
    const started = performance.now();
    expect(evaluateConditions(parse({ attr: 'text', value: '(a|a)*(a+)+$b', op: 'regex' }), subject)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('treats a creation or deletion as a change of every attribute', () => {
    const changed = parse({ attr: 'name', op: 'changed' });
    const state = { name: 'x' };
    expect(evaluateConditions(changed, { data: {}, snapshots: { prechange: null, postchange: state } })).toBe(true);
    expect(evaluateConditions(changed, { data: {}, snapshots: { prechange: state, postchange: null } })).toBe(true);
  });

  it('uses an object field named snapshots instead of the snapshots of the event', () => {
    const subject = { data: { snapshots: { size: 1 } }, snapshots: { prechange: null, postchange: null } };
    expect(evaluateConditions(parse({ attr: 'snapshots.size', value: 1 }), subject)).toBe(true);
  });
});
