import { z } from 'zod';
import { chatErrors } from '../../errors.js';
import { createParameterError } from './parameter-issues.js';
import { findUndecodedParameter, type UndecodedRequestParameters } from './raw-parameters.js';
import type { RequestLimits } from './request-limits.js';
import { decodeParameterText, type ParameterEncoding, getParameterEncoding } from './parameter-encoding.js';

/** Definition of an endpoint's request parameters: a zod schema, and the encoding of each parameter. */
export interface ParameterDefinition<S extends z.ZodObject> {
  readonly schema: S;
  readonly entries: readonly ParameterEntry[];
  /** All parameter names of the endpoint, including aliases. */
  readonly names: ReadonlySet<string>;
  /**
   * Schema of the endpoint's parameters for the OpenAPI document. The schema includes aliases, and parameters that
   * every endpoint accepts.
   */
  readonly published: z.ZodObject;
}

interface ParameterEntry {
  readonly name: string;
  /** Name of the request parameter, followed by the aliases of the parameter. */
  readonly names: readonly string[];
  readonly kind: ParameterEncoding;
}

/** Names of parameters that every endpoint accepts; responses never report these parameters as ignored. */
const parameterNamesOfAllEndpoints: ReadonlySet<string> = new Set(['client', 'method', 'csrfmiddlewaretoken']);

/**
 * Defines an endpoint's parameters by their schema. Strings are sent as they are, all other values as JSON text.
 * @param aliases Other accepted names, for example `{ topic: ['subject'] }`.
 */
export function defineParameters<S extends z.ZodObject>(
  schema: S,
  aliases: { readonly [K in keyof S['shape']]?: readonly string[] } = {},
): ParameterDefinition<S> {
  const byName: Readonly<Record<string, readonly string[] | undefined>> = aliases;
  const entries = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    names: [name, ...(byName[name] ?? [])],
    kind: getParameterEncoding(field),
  }));
  return {
    schema,
    entries,
    names: new Set(entries.flatMap((entry) => entry.names)),
    published: z.object({
      ...schema.shape,
      ...createOpenApiParameterAliases(schema, byName),
      client: clientNameParameterSchema,
    }),
  };
}

const clientNameParameterSchema = z.string().optional().meta({ description: 'Name of the client program' });

/**
 * Returns schema properties that describe the aliases of parameters in the OpenAPI document. The properties are
 * optional.
 */
function createOpenApiParameterAliases(
  schema: z.ZodObject,
  byName: Readonly<Record<string, readonly string[] | undefined>>,
) {
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) =>
      (byName[name] ?? []).map((alias) => [
        alias,
        z.optional(field).meta({ description: `Another name of the parameter ${name}`, deprecated: true }),
      ]),
    ),
  );
}

/** Decoded parameters of a request, and the sorted names of sent parameters that the endpoint does not define. */
export interface DecodedParameters<S extends z.ZodObject> {
  readonly values: z.output<S>;
  readonly ignored: readonly string[];
}

/**
 * Decodes the parameters of a request by an endpoint's definition (docs/contract/chat.md 1.3).
 * @throws ApplicationError REQUEST_VARIABLE_MISSING, REQUEST_VARIABLE_INVALID, REQUEST_CONFUSING_VAR; BAD_REQUEST, also
 * when a value exceeds a limit
 */
export function decodeParameters<S extends z.ZodObject>(
  definition: ParameterDefinition<S>,
  raw: UndecodedRequestParameters,
  limits: RequestLimits,
): DecodedParameters<S> {
  const input: Record<string, unknown> = {};
  const texts = new Map<string, string>();
  for (const entry of definition.entries) {
    const text = getParameterText(entry, raw);
    if (text === undefined) continue;
    texts.set(entry.name, text);
    input[entry.name] = decodeParameterText(entry.name, text, entry.kind, limits);
  }
  const parsed = definition.schema.safeParse(input, { reportInput: true });
  if (!parsed.success) throw findFirstParameterError(parsed.error, texts, raw.unreadType);
  return { values: parsed.data, ignored: listIgnoredParameterNames(definition, raw) };
}

function getParameterText(entry: ParameterEntry, raw: UndecodedRequestParameters): string | undefined {
  const sent = entry.names.filter((name) => findUndecodedParameter(raw, name) !== undefined);
  const [first, second] = sent;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    const fields = { var_name1: first, var_name2: second };
    throw chatErrors.create('REQUEST_CONFUSING_VAR', { params: fields, fields });
  }
  return findUndecodedParameter(raw, first);
}

function findFirstParameterError(
  error: z.ZodError,
  texts: ReadonlyMap<string, string>,
  unreadType: string | undefined,
): Error {
  const [issue] = error.issues;
  const name = String(issue?.path[0] ?? '');
  const text = texts.get(name);
  if (issue === undefined || text === undefined) {
    const fields = { var_name: name };
    if (unreadType === undefined) return chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
    const message = `Missing '${name}' argument: a body of the type ${unreadType} is not read, send a form`;
    return chatErrors.create('REQUEST_VARIABLE_MISSING', { message, fields });
  }
  return createParameterError(name, text, { ...issue, path: issue.path.slice(1) });
}

function listIgnoredParameterNames(
  definition: ParameterDefinition<z.ZodObject>,
  raw: UndecodedRequestParameters,
): string[] {
  const sent = new Set([...raw.body.keys(), ...raw.query.keys()]);
  return [...sent].filter((name) => !definition.names.has(name) && !parameterNamesOfAllEndpoints.has(name)).toSorted();
}
