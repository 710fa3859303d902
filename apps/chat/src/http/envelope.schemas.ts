import { z } from 'zod';

/** A success body: the envelope of chat-contract 1.4 around the endpoint's own fields, closed to any other key. */
export function successBody<S extends z.ZodRawShape>(fields: S) {
  return z.strictObject({
    result: z.literal('success'),
    msg: z.literal(''),
    ...fields,
    ignored_parameters_unsupported: z
      .array(z.string())
      .optional()
      .meta({ description: 'Parameters that were sent and that the endpoint does not have, sorted.' }),
  });
}

const base = { result: z.literal('error'), msg: z.string() };

function coded<C extends string, S extends z.ZodRawShape>(code: C, fields: S) {
  return z.strictObject({ ...base, code: z.literal(code), ...fields });
}

/** Errors of status 400: each code with exactly its own further keys (chat-contract 1.5). */
export const badRequestBody = z
  .union([
    coded('BAD_REQUEST', {}),
    coded('REQUEST_VARIABLE_MISSING', { var_name: z.string() }),
    coded('REQUEST_VARIABLE_INVALID', { var_name: z.string(), bad_value: z.string() }),
    coded('REQUEST_CONFUSING_VAR', { var_name1: z.string(), var_name2: z.string() }),
    coded('BAD_NARROW', { desc: z.string() }),
    coded('BAD_EVENT_QUEUE_ID', { queue_id: z.string() }),
    coded('STREAM_DOES_NOT_EXIST', { stream: z.string() }),
    coded('STREAM_DOES_NOT_EXIST', { stream_id: z.int() }),
    coded('STREAM_WILDCARD_MENTION_NOT_ALLOWED', {}),
    coded('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', {}),
  ])
  .meta({ id: 'BadRequest' });

/** Errors of status 401. */
export const unauthorizedBody = z
  .strictObject({
    ...base,
    code: z.enum(['INVALID_API_KEY', 'UNAUTHORIZED', 'AUTHENTICATION_FAILED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']),
  })
  .meta({ id: 'Unauthorized' });

/** Errors of status 404. */
export const notFoundBody = z
  .strictObject({ ...base, code: z.enum(['NOT_FOUND', 'NONEXISTENT_SUBDOMAIN', 'BAD_REQUEST']) })
  .meta({ id: 'NotFound' });

/** Responses that every endpoint with credentials may give besides its success. */
export const commonErrors = {
  400: { description: 'The request is refused', schema: badRequestBody },
  401: { description: 'The credentials are missing or not good', schema: unauthorizedBody },
} as const;
