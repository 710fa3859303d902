import type { AppError } from '@switchboard/errors';
import type { z } from 'zod';
import { badRequest, chatErrors } from '../../errors.js';

type ValidationIssue = z.core.$ZodIssue;

/** Error messages for parameter values of the wrong type, which clients compare (docs/contract/chat.md 1.6). */
const typeTexts: Readonly<Record<string, string>> = {
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
 * Returns the error for the first validation issue of a parameter, with the message of the reference API. If the schema
 * has a message of its own, it is used unchanged.
 *
 * @param text Text of the whole parameter as sent.
 */
export function parameterError(name: string, text: string, issue: ValidationIssue): AppError {
  const at = formatPath(name, issue.path);
  if (isMissingKey(issue)) return missingKeyError(name, issue);
  switch (issue.code) {
    case 'invalid_type':
      return invalidTypeError(name, text, at, issue);
    case 'unrecognized_keys':
      return badRequest(`Unexpected keys in ${at}: ${issue.keys.join(', ')}`);
    case 'invalid_union':
      return invalidUnionError(name, text, at, issue);
    case 'custom':
      return badRequest(issue.message);
    case 'too_big':
      if (issue.origin === 'string') return badRequest(`${at} is too long (limit: ${issue.maximum} characters)`);
      if (issue.origin === 'array') return badRequest(`${at} is too long (limit: ${issue.maximum} items)`);
      return outOfRangeError(name, text, at, issue);
    case 'too_small':
      if (issue.origin === 'string') return badRequest(`${at} cannot be blank`);
      return outOfRangeError(name, text, at, issue);
    default:
      return badRequest(`Invalid ${at}`);
  }
}

function isMissingKey(issue: ValidationIssue): boolean {
  const mayBeMissing =
    issue.code === 'invalid_type' || issue.code === 'invalid_union' || issue.code === 'invalid_value';
  return mayBeMissing && issue.input === undefined && issue.path.length > 0;
}

function missingKeyError(name: string, issue: ValidationIssue): AppError {
  const key = String(issue.path.at(-1));
  return badRequest(`${key} key is missing from ${formatPath(name, issue.path.slice(0, -1))}`);
}

function invalidTypeError(
  name: string,
  text: string,
  at: string,
  issue: ValidationIssue & { code: 'invalid_type' },
): AppError {
  const isNumber = issue.expected === 'number' || issue.expected === 'int';
  if (isNumber && typeof issue.input === 'number' && issue.path.length === 0) return badValueError(name, text);
  return badRequest(`${at} ${typeTexts[issue.expected] ?? 'is invalid'}`);
}

/** Returns the error for a value that matches no branch of a union: the error of the branch that matches best. */
function invalidUnionError(
  name: string,
  text: string,
  at: string,
  issue: ValidationIssue & { code: 'invalid_union' },
): AppError {
  const deeper = issue.errors
    .flat()
    .filter((inner) => inner.path.length > 0)
    .toSorted((left, right) => right.path.length - left.path.length)[0];
  if (deeper === undefined) return badRequest(`Invalid ${at}`);
  return parameterError(name, text, { ...deeper, path: [...issue.path, ...deeper.path] });
}

function outOfRangeError(name: string, text: string, at: string, issue: ValidationIssue): AppError {
  return issue.path.length === 0 ? badValueError(name, text) : badRequest(`Invalid ${at}`);
}

function badValueError(name: string, text: string): AppError {
  const fields = { var_name: name, bad_value: text };
  return chatErrors.create('REQUEST_VARIABLE_INVALID', { params: fields, fields });
}

function formatPath(name: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (at, step) => (typeof step === 'number' ? `${at}[${step}]` : `${at}["${String(step)}"]`),
    name,
  );
}
