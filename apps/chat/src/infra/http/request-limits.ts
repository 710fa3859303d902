import { integerVariableSchema } from '@switchboard/platform';
import { createBadRequestError } from '../../errors.js';

/** Environment variables that limit the size of one request. */
export const requestLimitEnvironmentVariables = {
  REQUEST_TEXT_LENGTH: integerVariableSchema({ min: 1_000 })
    .default(200_000)
    .meta({ description: 'Longest text in the parameters of a request, in characters' }),
  REQUEST_VALUES: integerVariableSchema({ min: 100 })
    .default(20_000)
    .meta({ description: 'Most plain values, such as ids, in one list of a request' }),
  REQUEST_OBJECTS: integerVariableSchema({ min: 100 })
    .default(1_000)
    .meta({ description: 'Most objects and lists in one list of a request; also the most keys of one object' }),
  REQUEST_DEPTH: integerVariableSchema({ min: 10, max: 1_000 })
    .default(20)
    .meta({ description: 'Deepest nesting of lists and objects in a parameter of a request' }),
};

/** Limits of the parameters in one request. */
export interface RequestLimits {
  /** Maximum length of a single text in a request parameter, in UTF-16 code units. */
  readonly textLength: number;
  /** Maximum number of plain values in one list in a request parameter. */
  readonly values: number;
  /**
   * Maximum number of objects and lists in one list in a request parameter. Also the maximum number of keys in one
   * object.
   */
  readonly objects: number;
  /** Maximum nesting depth of lists and objects in a parameter. */
  readonly depth: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Size limits for the parameters of every request to the server. */
    readonly requestLimits: RequestLimits;
  }
}

/** Returns the limits of request parameters that the configuration sets. */
export function getRequestParameterLimits(config: {
  readonly REQUEST_TEXT_LENGTH: number;
  readonly REQUEST_VALUES: number;
  readonly REQUEST_OBJECTS: number;
  readonly REQUEST_DEPTH: number;
}): RequestLimits {
  return {
    textLength: config.REQUEST_TEXT_LENGTH,
    values: config.REQUEST_VALUES,
    objects: config.REQUEST_OBJECTS,
    depth: config.REQUEST_DEPTH,
  };
}

/**
 * Checks the size of one request parameter, given as text or as parsed JSON, before the schema validates the parameter.
 * @param name Name of the parameter, for the error message.
 * @throws ApplicationError BAD_REQUEST with the limit that the value exceeds
 */
export function checkParameterAgainstLimits(name: string, value: unknown, limits: RequestLimits, depth = 0): void {
  if (typeof value === 'string') return checkTextLength(name, value, limits);
  if (typeof value !== 'object' || value === null) return;
  if (depth === limits.depth)
    throw createBadRequestError(`${name} is nested too deeply (limit: ${limits.depth} levels)`);
  if (Array.isArray(value)) checkListLength(name, value, limits);
  else checkParameterObjectKeyCount(name, value, limits);
  for (const item of Object.values(value)) checkParameterAgainstLimits(name, item, limits, depth + 1);
}

function checkTextLength(name: string, text: string, { textLength }: RequestLimits): void {
  if (text.length > textLength) throw createBadRequestError(`${name} is too long (limit: ${textLength} characters)`);
}

function checkListLength(name: string, list: readonly unknown[], limits: RequestLimits): void {
  if (list.length > limits.values) throw createLimitExceededError(name, limits.values);
  // Objects have a lower limit than plain values, because each stands for a record or for a condition of a statement.
  if (list.length <= limits.objects) return;
  const objects = list.filter((item) => typeof item === 'object' && item !== null).length;
  if (objects > limits.objects) throw createLimitExceededError(name, limits.objects);
}

function checkParameterObjectKeyCount(name: string, value: object, limits: RequestLimits): void {
  const keys = Object.keys(value);
  if (keys.length > limits.objects) throw createLimitExceededError(name, limits.objects);
  for (const key of keys) checkTextLength(name, key, limits);
}

function createLimitExceededError(name: string, limit: number): Error {
  return createBadRequestError(`${name} is too long (limit: ${limit} items)`);
}
