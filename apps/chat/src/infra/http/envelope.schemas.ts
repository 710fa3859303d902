import { z } from 'zod';

/**
 * Returns the schema of a success response: `result` and `msg` of docs/contract/chat.md 1.4 with the endpoint's own
 * fields, and no other keys.
 */
export function successBody<S extends z.ZodRawShape>(fields: S) {
  return z.strictObject({
    result: z.literal('success'),
    msg: z.literal(''),
    ...fields,
    ignored_parameters_unsupported: z
      .array(z.string())
      .optional()
      .meta({ description: 'Parameters of the request that the endpoint does not have, sorted.' }),
  });
}

const base = { result: z.literal('error'), msg: z.string() };

function coded<C extends string, S extends z.ZodRawShape>(code: C, fields: S) {
  return z.strictObject({ ...base, code: z.literal(code), ...fields });
}

/** Schema of a use of a user group that prevents its deactivation. */
const groupUse = z.union([
  z.strictObject({ type: z.literal('subgroup'), supergroup_ids: z.array(z.int()) }),
  z.strictObject({ type: z.literal('realm'), settings: z.array(z.string()) }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.int(), settings: z.array(z.string()) }),
  z.strictObject({ type: z.literal('user_group'), group_id: z.int(), settings: z.array(z.string()) }),
]);

/**
 * Schema of error responses with status 400: each code with exactly its own additional keys (docs/contract/chat.md
 * 1.5).
 */
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
    coded('UNAUTHORIZED_PRINCIPAL', {}),
    coded('CANNOT_DEACTIVATE_LAST_USER', { is_last_owner: z.boolean(), entity: z.string() }),
    coded('CANNOT_DEACTIVATE_GROUP_IN_USE', { objections: z.array(groupUse) }),
    coded('EXPECTATION_MISMATCH', {}),
    coded('SYSTEM_GROUP_REQUIRED', { setting_name: z.string() }),
    coded('CANNOT_ADMINISTER_CHANNEL', {}),
    coded('MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', {
      first_message_id_allowed_to_move: z.int(),
      total_messages_in_topic: z.int(),
      total_messages_allowed_to_move: z.int(),
    }),
    coded('REALM_UPLOAD_QUOTA', {}),
    coded('BAD_IMAGE', {}),
    coded('INVALID_ZOOM_TOKEN', {}),
    coded('INVITATION_FAILED', {
      errors: z.array(z.tuple([z.string(), z.string(), z.boolean()])),
      sent_invitations: z.boolean(),
      license_limit_reached: z.boolean(),
      daily_limit_reached: z.boolean(),
    }),
    coded('REACTION_ALREADY_EXISTS', {}),
    coded('REACTION_DOES_NOT_EXIST', {}),
    coded('STREAM_WILDCARD_MENTION_NOT_ALLOWED', {}),
    coded('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', {}),
  ])
  .meta({ id: 'BadRequest' });

/** Schema of error responses with status 401. */
export const unauthorizedBody = z
  .strictObject({
    ...base,
    code: z.enum(['INVALID_API_KEY', 'UNAUTHORIZED', 'AUTHENTICATION_FAILED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']),
  })
  .meta({ id: 'Unauthorized' });

/** Schema of error responses with status 404. */
export const notFoundBody = z
  .strictObject({ ...base, code: z.enum(['NOT_FOUND', 'NONEXISTENT_SUBDOMAIN', 'BAD_REQUEST']) })
  .meta({ id: 'NotFound' });

/** Schema of error responses with status 403, for requests authenticated by a browser session. */
export const csrfFailedBody = coded('CSRF_FAILED', { reason: z.string() }).meta({ id: 'CsrfFailed' });

/** Schema of error responses with status 429. */
export const tooManyRequestsBody = coded('RATE_LIMIT_HIT', { 'retry-after': z.number() }).meta({
  id: 'TooManyRequests',
});

/** Schema of error responses with status 503. */
export const unavailableBody = coded('SERVICE_UNAVAILABLE', {}).meta({ id: 'ServiceUnavailable' });

/** Error responses of all endpoints that require credentials, by status. */
export const commonErrors = {
  400: { description: 'The request is invalid', schema: badRequestBody },
  401: { description: 'The credentials are missing or invalid', schema: unauthorizedBody },
} as const;

/** Error response of endpoints whose URL path may refer to a nonexistent object. */
export const notFoundError = {
  404: { description: 'The object does not exist', schema: notFoundBody },
} as const;
