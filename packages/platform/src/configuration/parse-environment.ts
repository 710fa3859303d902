import type { z } from 'zod';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { readEnvironmentVariableProperties } from './environment-variable-properties.js';
import { readVariables } from './read-variables.js';

/** Parsed configuration, and the variables whose names are values of other variables. */
export interface ParsedEnvironment<S extends z.ZodObject> {
  readonly config: z.infer<S>;
  /**
   * Values of the variables that fields with `.meta({ listsVariables: true })` name. Variables that are not set are
   * absent.
   */
  readonly listedVariables: Readonly<Record<string, string>>;
}

/**
 * Parses the environment variables with a zod object schema. A process calls this function once, at its start.
 *
 * - If the schema has a field `CONFIG_FILE`, the configuration file with this path is read too. The environment takes
 *   precedence over that file. A line of the file with a name that is not in the schema is a problem.
 * - Every variable may also be given as `NAME_FILE`, the path of a file whose content without the last line end is the
 *   value. Both forms together are a problem.
 * - A variable set to `''` counts as absent, because compose files and shells cannot unset a variable. Exceptions are
 *   fields with `.meta({ emptyIsGiven: true })`.
 * - Fields with `.meta({ requiredInProduction: true })` must be set when NODE_ENV is `production`.
 * - Fields with `.meta({ refusedInProduction: true })` must not be set when NODE_ENV is `production`.
 * - Fields with `.meta({ faultInProduction: (value) => … })` are rejected when NODE_ENV is `production` and the
 *   function returns a reason.
 * - Values of fields with `.meta({ secret: true })`, and values from files of `NAME_FILE`, are never included in error
 *   messages.
 *
 * @throws ConfigError whose message names every invalid variable; if files cannot be used, the message names only the
 *   problems of the files
 */
export function parseEnvironmentValues<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined>,
): z.infer<S> {
  return parseEnvironment(schema, env).config;
}

/**
 * Parses the environment as {@link parseEnvironmentValues} does, and also returns the variables that other variables list.
 *
 * @throws ConfigError as {@link parseEnvironmentValues} does
 */
export function parseEnvironment<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined>,
): ParsedEnvironment<S> {
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    ...readEnvironmentVariableProperties(field),
  }));
  const {
    values,
    fromFiles,
    listed,
    problems: unusable,
  } = readVariables(env, {
    names: fields.map(({ name }) => name),
    listing: fields.filter(({ listsVariables }) => listsVariables).map(({ name }) => name),
    emptyIsGiven: fields.filter(({ emptyIsGiven }) => emptyIsGiven).map(({ name }) => name),
    ignoresOthers: false,
  });
  if (unusable.length > 0) throw new ConfigError(unusable);
  const hidden = new Set([...fromFiles, ...fields.filter(({ secret }) => secret).map(({ name }) => name)]);
  const barred = findProductionProblems(schema, values);
  const result = schema.safeParse(values);
  const invalid = result.success
    ? []
    : result.error.issues.map((issue) => describeEnvironmentIssue(schema, issue, values, hidden));
  const named = new Set(barred.map(({ name }) => name));
  const problems = [...barred, ...invalid.filter(({ name }) => name === '' || !named.has(name))];
  if (!result.success || problems.length > 0) {
    throw new ConfigError(problems);
  }
  return { config: result.data, listedVariables: listed };
}

function findProductionProblems(schema: z.ZodObject, given: Readonly<Record<string, string>>): ConfigProblem[] {
  if (given['NODE_ENV'] !== 'production') {
    return [];
  }
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const { requiredInProduction, refusedInProduction, faultInProduction } = readEnvironmentVariableProperties(field);
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

function describeEnvironmentIssue(
  schema: z.ZodObject,
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, string>>,
  hidden: ReadonlySet<string>,
): ConfigProblem {
  const name = String(issue.path[0] ?? '');
  const value = given[name];
  const message = hideSecretValues(issue.message, given, hidden);
  if (schema.shape[name] === undefined) {
    return { name, problem: message };
  }
  if (value === undefined) {
    return { name, problem: 'is missing' };
  }
  return { name, problem: hidden.has(name) ? message : `${message} (got ${JSON.stringify(value)})` };
}

/**
 * Replaces secret values in an error message by `[hidden]`. A validation rule may quote the value of a variable in its
 * message.
 */
function hideSecretValues(
  message: string,
  given: Readonly<Record<string, string>>,
  hidden: ReadonlySet<string>,
): string {
  return [...hidden].reduce((text, name) => {
    const value = given[name] ?? '';
    return value === '' ? text : text.replaceAll(value, '[hidden]');
  }, message);
}
