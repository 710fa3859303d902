import type { z } from 'zod';
import { environmentMeta } from './environment-meta.js';

/** Description of an invalid environment variable. */
export interface ConfigProblem {
  /** Name of the invalid variable; empty for a rule about several variables. */
  name: string;
  /** Description of the problem; never contains the value of a secret. */
  problem: string;
}

/**
 * Error for environment variables that do not match the schema. The message names every invalid variable, so that all
 * can be corrected together.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ name, problem }) => `  ${name === '' ? problem : `${name}: ${problem}`}`);
    super(`The configuration cannot be used:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Parses the environment with a zod object, once, at the start of the process.
 *
 * - A variable set to `''` counts as absent, because compose files and shells cannot unset a variable. Exceptions are
 *   fields with `.meta({ emptyIsGiven: true })`.
 * - Fields with `.meta({ requiredInProduction: true })` must be set when NODE_ENV is `production`.
 * - Fields with `.meta({ refusedInProduction: true })` must not be set then.
 * - Fields with `.meta({ faultInProduction: (value) => … })` are then rejected with the returned reason.
 * - Values of fields with `.meta({ secret: true })` are never shown.
 *
 * @throws ConfigError naming every invalid variable
 */
export function parseEnv<S extends z.ZodObject>(schema: S, env: Record<string, string | undefined>): z.infer<S> {
  const given: Record<string, string> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = env[name];
    if (value !== undefined && (value !== '' || environmentMeta(field).emptyIsGiven)) {
      given[name] = value;
    }
  }
  const barred = findProductionProblems(schema, given, env['NODE_ENV']);
  const result = schema.safeParse(given);
  const invalid = result.success ? [] : result.error.issues.map((issue) => describeIssue(schema, issue, given));
  const named = new Set(barred.map(({ name }) => name));
  const problems = [...barred, ...invalid.filter(({ name }) => name === '' || !named.has(name))];
  if (!result.success || problems.length > 0) {
    throw new ConfigError(problems);
  }
  return result.data;
}

function findProductionProblems(
  schema: z.ZodObject,
  given: Record<string, string>,
  nodeEnv: string | undefined,
): ConfigProblem[] {
  if (nodeEnv !== 'production') {
    return [];
  }
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const { requiredInProduction, refusedInProduction, faultInProduction } = environmentMeta(field);
    const value = given[name];
    if (value === undefined) {
      return requiredInProduction ? { name, problem: 'must be given when NODE_ENV is production' } : [];
    }
    if (refusedInProduction) {
      return { name, problem: 'must not be given when NODE_ENV is production' };
    }
    const problem = faultInProduction?.(value);
    return problem === undefined ? [] : { name, problem };
  });
}

function describeIssue(schema: z.ZodObject, issue: z.core.$ZodIssue, given: Record<string, string>): ConfigProblem {
  const name = String(issue.path[0] ?? '');
  const field = schema.shape[name];
  const value = given[name];
  if (field === undefined) {
    return { name, problem: hideSecrets(schema, issue.message, given) };
  }
  if (value === undefined) {
    return { name, problem: 'is missing' };
  }
  const message = hideSecrets(schema, issue.message, given);
  return { name, problem: environmentMeta(field).secret ? message : `${message} (got ${JSON.stringify(value)})` };
}

/**
 * Removes secret values from an error message. A rule may quote the value that it checked, of this variable or of
 * another one.
 */
function hideSecrets(schema: z.ZodObject, message: string, given: Record<string, string>): string {
  return Object.entries(schema.shape).reduce((text, [name, field]) => {
    const value = given[name];
    return value !== undefined && environmentMeta(field).secret ? text.replaceAll(value, '[hidden]') : text;
  }, message);
}
