import { ApplicationError } from '@switchboard/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeParameters, defineParameters } from './parameters.js';

const limits = { textLength: 12, values: 4, objects: 2, depth: 3 };

const definition = defineParameters(
  z.object({
    topic: z.string().optional(),
    count: z.int().nonnegative().optional(),
    flag: z.boolean().default(false),
    ids: z.array(z.int()).optional(),
    terms: z.array(z.object({ operator: z.string(), operand: z.string() })).optional(),
    kind: z.enum(['a', 'b']).optional(),
  }),
  { topic: ['subject'] },
);

function decode(body: Record<string, string>, query: Record<string, string> = {}) {
  const raw = { body: new Map(Object.entries(body)), query: new Map(Object.entries(query)) };
  return decodeParameters(definition, raw, limits);
}

function getRejection(body: Record<string, string>, query: Record<string, string> = {}): object {
  try {
    decode(body, query);
  } catch (error) {
    if (error instanceof ApplicationError) return { code: error.code, msg: error.message, ...error.fields };
    throw error;
  }
  throw new Error('It was accepted');
}

describe('decodeParameters', () => {
  it.each([
    ['text raw, even where it looks like JSON', { topic: '"x"' }, { topic: '"x"' }],
    ['whole numbers', { count: '5' }, { count: 5 }],
    ['true in lower case', { flag: 'true' }, { flag: true }],
    ['True as Python writes it', { flag: 'True' }, { flag: true }],
    ['False as Python writes it', { flag: 'False' }, { flag: false }],
    ['lists as JSON', { ids: '[1, 2]' }, { ids: [1, 2] }],
    ['objects as JSON', { terms: '[{"operator":"x","operand":"y"}]' }, { terms: [{ operator: 'x', operand: 'y' }] }],
    ['an alias', { subject: 's' }, { topic: 's' }],
    ['half of a surrogate pair as a replacement character', { topic: 'a\ud800' }, { topic: 'a\ufffd' }],
    [
      'the same from an escape',
      { terms: '[{"operator":"\\ud800","operand":""}]' },
      { terms: [{ operator: '\ufffd', operand: '' }] },
    ],
    [
      'an escaped backslash that only looks like a null byte',
      { terms: '[{"operator":"\\\\u0000","operand":""}]' },
      { terms: [{ operator: '\\u0000', operand: '' }] },
    ],
  ])('decodes %s', (_name, body, values) => {
    expect(decode(body).values).toEqual({ flag: false, ...values });
  });

  it('prefers a parameter in the body to a parameter in the query', () => {
    expect(decode({ topic: 'body' }, { topic: 'query', count: '1' }).values).toMatchObject({ topic: 'body', count: 1 });
  });

  it('returns unknown parameter names, sorted, except names that any request may contain', () => {
    expect(decode({ z: '1', client: 'me', method: 'GET' }, { a: '1', z: '2' }).ignored).toEqual(['a', 'z']);
  });

  it.each([
    ['text that is not JSON', { ids: '[1' }, { code: 'BAD_REQUEST', msg: 'Argument "ids" is not valid JSON.' }],
    ['a number that is not one', { count: 'x' }, { code: 'BAD_REQUEST', msg: 'Argument "count" is not valid JSON.' }],
    ['a string for a number', { count: '"5"' }, { code: 'BAD_REQUEST', msg: 'count is not an integer' }],
    [
      'a number below its range',
      { count: '-1' },
      { code: 'REQUEST_VARIABLE_INVALID', msg: "Bad value for 'count': -1", var_name: 'count', bad_value: '-1' },
    ],
    [
      'a number with a fraction',
      { count: '1.5' },
      { code: 'REQUEST_VARIABLE_INVALID', msg: "Bad value for 'count': 1.5", var_name: 'count', bad_value: '1.5' },
    ],
    ['a number for a boolean', { flag: '1' }, { code: 'BAD_REQUEST', msg: 'flag is not a boolean' }],
    ['an object for a list', { ids: '{}' }, { code: 'BAD_REQUEST', msg: 'ids is not a list' }],
    ['a wrong element of a list', { ids: '[1, "x"]' }, { code: 'BAD_REQUEST', msg: 'ids[1] is not an integer' }],
    ['a list for an object', { terms: '[[]]' }, { code: 'BAD_REQUEST', msg: 'terms[0] is not a dict' }],
    [
      'a missing key',
      { terms: '[{"operator":"x"}]' },
      { code: 'BAD_REQUEST', msg: 'operand key is missing from terms[0]' },
    ],
    [
      'a wrong key',
      { terms: '[{"operator":1,"operand":"y"}]' },
      { code: 'BAD_REQUEST', msg: 'terms[0]["operator"] is not a string' },
    ],
    ['a value outside its choices', { kind: 'c' }, { code: 'BAD_REQUEST', msg: 'Invalid kind' }],
    ['a null byte', { topic: 'a\u0000' }, { code: 'BAD_REQUEST', msg: 'topic must not contain null bytes' }],
    [
      'a null byte that an escape brings in',
      { terms: '[{"operator":"\\u0000","operand":""}]' },
      { code: 'BAD_REQUEST', msg: 'terms must not contain null bytes' },
    ],
    [
      'a parameter under two names',
      { topic: 'a', subject: 'b' },
      {
        code: 'REQUEST_CONFUSING_VAR',
        msg: "Can't decide between 'topic' and 'subject' arguments",
        var_name1: 'topic',
        var_name2: 'subject',
      },
    ],
  ])('rejects an invalid parameter: %s', (_name, body, response) => {
    expect(getRejection(body)).toEqual(response);
  });

  it('rejects a parameter that is sent under one name in the body and under another name in the query', () => {
    expect(getRejection({ topic: 'a' }, { subject: 'b' })).toMatchObject({ code: 'REQUEST_CONFUSING_VAR' });
  });

  it.each([
    ['a text', { topic: 'x'.repeat(13) }, 'topic is too long (limit: 12 characters)'],
    ['a text within JSON', { terms: JSON.stringify(['x'.repeat(13)]) }, 'terms is too long (limit: 12 characters)'],
    ['a key', { terms: JSON.stringify([{ ['x'.repeat(13)]: 1 }]) }, 'terms is too long (limit: 12 characters)'],
    ['a list of values', { ids: '[1, 1, 1, 1, 1]' }, 'ids is too long (limit: 4 items)'],
    ['a list of objects', { terms: '[{}, {}, {}]' }, 'terms is too long (limit: 2 items)'],
    ['an object', { terms: '[{"a": 1, "b": 1, "c": 1}]' }, 'terms is too long (limit: 2 items)'],
    ['nesting', { terms: '[[[[1]]]]' }, 'terms is nested too deeply (limit: 3 levels)'],
  ])('rejects %s that exceeds the limit', (_name, body, msg) => {
    expect(getRejection(body)).toEqual({ code: 'BAD_REQUEST', msg });
  });

  it('rejects JSON that is nested a hundred thousand levels deep and contains escapes', () => {
    const ids = `${'['.repeat(100_000)}"\\u0041"${']'.repeat(100_000)}`;
    expect(getRejection({ ids })).toEqual({ code: 'BAD_REQUEST', msg: 'ids is nested too deeply (limit: 3 levels)' });
  });

  it('names a required parameter that is missing', () => {
    const required = defineParameters(z.object({ to: z.string() }));
    const none = { body: new Map<string, string>(), query: new Map<string, string>() };
    expect(() => decodeParameters(required, none, limits)).toThrow(
      expect.objectContaining({ code: 'REQUEST_VARIABLE_MISSING', fields: { var_name: 'to' } }),
    );
  });
});
