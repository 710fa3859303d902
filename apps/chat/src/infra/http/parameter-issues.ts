import type { ApplicationError } from '@switchboard/errors';
import type { z } from 'zod';
import { createBadRequestError, chatErrors } from '../../errors.js';

type ValidationIssue = z.core.$ZodIssue;

/**
 * Map from value types to the wording of error messages about parameter values of the wrong type. Clients compare the
 * messages (docs/contract/chat.md 1.6).
 */
const typeNameInMessages: Readonly<Record<string, string>> = {
  string: 'is not a string',
  int: 'is not an integer',
  number: 'is not an integer',
  boolean: 'is not a boolean',
  array: 'is not a list',
  tuple: 'is not a list',
  object: 'is not a dict',
  record: 'is not a dict',
};

/**
 * Returns the error for the first validation issue of a parameter, with the message of the reference API. A message
 * that the schema itself defines is used unchanged.
 *
 * @param text Text of the whole parameter as sent.
 */
export function createParameterError(name: string, text: string, issue: ValidationIssue): ApplicationError {
  const at = formatIssuePath(name, issue.path);
  if (isMissingKeyIssue(issue)) return createMissingKeyError(name, issue);
  switch (issue.code) {
    case 'invalid_type':
      return createInvalidTypeError(name, text, at, issue);
    case 'unrecognized_keys':
      return createBadRequestError(`Unexpected keys in ${at}: ${issue.keys.join(', ')}`);
    case 'invalid_union':
      return createInvalidUnionError(name, text, at, issue);
    case 'custom':
      return createBadRequestError(issue.message);
    case 'too_big':
      if (issue.origin === 'string')
        return createBadRequestError(`${at} is too long (limit: ${issue.maximum} characters)`);
      if (issue.origin === 'array') return createBadRequestError(`${at} is too long (limit: ${issue.maximum} items)`);
      return createOutOfRangeError(name, text, at, issue);
    case 'too_small':
      if (issue.origin === 'string') return createBadRequestError(`${at} cannot be blank`);
      return createOutOfRangeError(name, text, at, issue);
    default:
      return createBadRequestError(`Invalid ${at}`);
  }
}

function isMissingKeyIssue(issue: ValidationIssue): boolean {
  const mayBeMissing =
    issue.code === 'invalid_type' || issue.code === 'invalid_union' || issue.code === 'invalid_value';
  return mayBeMissing && issue.input === undefined && issue.path.length > 0;
}

function createMissingKeyError(name: string, issue: ValidationIssue): ApplicationError {
  const key = String(issue.path.at(-1));
  return createBadRequestError(`${key} key is missing from ${formatIssuePath(name, issue.path.slice(0, -1))}`);
}

function createInvalidTypeError(
  name: string,
  text: string,
  at: string,
  issue: ValidationIssue & { code: 'invalid_type' },
): ApplicationError {
  const isNumber = issue.expected === 'number' || issue.expected === 'int';
  if (isNumber && typeof issue.input === 'number' && issue.path.length === 0) return createBadValueError(name, text);
  return createBadRequestError(`${at} ${typeNameInMessages[issue.expected] ?? 'is invalid'}`);
}

/**
 * Returns the API error for a value that matches no alternative of a union schema. The error is that of the alternative
 * that matches best.
 */
function createInvalidUnionError(
  name: string,
  text: string,
  at: string,
  issue: ValidationIssue & { code: 'invalid_union' },
): ApplicationError {
  const deeper = issue.errors
    .flat()
    .filter((inner) => inner.path.length > 0)
    .toSorted((left, right) => right.path.length - left.path.length)[0];
  if (deeper === undefined) return createBadRequestError(`Invalid ${at}`);
  return createParameterError(name, text, { ...deeper, path: [...issue.path, ...deeper.path] });
}

function createOutOfRangeError(name: string, text: string, at: string, issue: ValidationIssue): ApplicationError {
  return issue.path.length === 0 ? createBadValueError(name, text) : createBadRequestError(`Invalid ${at}`);
}

function createBadValueError(name: string, text: string): ApplicationError {
  const fields = { var_name: name, bad_value: text };
  return chatErrors.create('REQUEST_VARIABLE_INVALID', { params: fields, fields });
}

function formatIssuePath(name: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (at, step) => (typeof step === 'number' ? `${at}[${step}]` : `${at}["${String(step)}"]`),
    name,
  );
}
