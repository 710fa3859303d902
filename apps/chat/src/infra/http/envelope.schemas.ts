import { z } from 'zod';
import { apiKeyScopeSchema } from './api-key-scopes.js';

/**
 * Returns the schema of a success response: `result` and `msg` of docs/contract/chat.md 1.4 with the fields of the
 * endpoint, and no other keys.
 */
export function createSuccessBodySchema<S extends z.ZodRawShape>(fields: S) {
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

const errorBodyBaseFields = { result: z.literal('error'), msg: z.string() };

function createCodedErrorBodySchema<C extends string, S extends z.ZodRawShape>(code: C, fields: S) {
  return z.strictObject({ ...errorBodyBaseFields, code: z.literal(code), ...fields });
}

/**
 * Schema of a use of a user group by another group or a permission setting. A use prevents the deactivation of the
 * group.
 */
const userGroupUseSchema = z.union([
  z.strictObject({ type: z.literal('subgroup'), supergroup_ids: z.array(z.int()) }),
  z.strictObject({ type: z.literal('realm'), settings: z.array(z.string()) }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.int(), settings: z.array(z.string()) }),
  z.strictObject({ type: z.literal('user_group'), group_id: z.int(), settings: z.array(z.string()) }),
]);

/**
 * Schema of error responses with status 400: each error code with exactly the additional keys of that code
 * (docs/contract/chat.md 1.5).
 */
export const badRequestBody = z
  .union([
    createCodedErrorBodySchema('BAD_REQUEST', {}),
    createCodedErrorBodySchema('REQUEST_VARIABLE_MISSING', { var_name: z.string() }),
    createCodedErrorBodySchema('REQUEST_VARIABLE_INVALID', { var_name: z.string(), bad_value: z.string() }),
    createCodedErrorBodySchema('REQUEST_CONFUSING_VAR', { var_name1: z.string(), var_name2: z.string() }),
    createCodedErrorBodySchema('BAD_NARROW', { desc: z.string() }),
    createCodedErrorBodySchema('BAD_EVENT_QUEUE_ID', { queue_id: z.string() }),
    createCodedErrorBodySchema('STREAM_DOES_NOT_EXIST', { stream: z.string() }),
    createCodedErrorBodySchema('STREAM_DOES_NOT_EXIST', { stream_id: z.int() }),
    createCodedErrorBodySchema('UNAUTHORIZED_PRINCIPAL', {}),
    createCodedErrorBodySchema('CANNOT_DEACTIVATE_LAST_USER', { is_last_owner: z.boolean(), entity: z.string() }),
    createCodedErrorBodySchema('CANNOT_DEACTIVATE_GROUP_IN_USE', { objections: z.array(userGroupUseSchema) }),
    createCodedErrorBodySchema('EXPECTATION_MISMATCH', {}),
    createCodedErrorBodySchema('SYSTEM_GROUP_REQUIRED', { setting_name: z.string() }),
    createCodedErrorBodySchema('CANNOT_ADMINISTER_CHANNEL', {}),
    createCodedErrorBodySchema('MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', {
      first_message_id_allowed_to_move: z.int(),
      total_messages_in_topic: z.int(),
      total_messages_allowed_to_move: z.int(),
    }),
    createCodedErrorBodySchema('EVENT_WEBHOOK_URL_REFUSED', {}),
    createCodedErrorBodySchema('REALM_UPLOAD_QUOTA', {}),
    createCodedErrorBodySchema('BAD_IMAGE', {}),
    createCodedErrorBodySchema('INVALID_ZOOM_TOKEN', {}),
    createCodedErrorBodySchema('INVALID_VIDEO_CALL_PROVIDER_TOKEN', {}),
    createCodedErrorBodySchema('INVALID_PUSH_DEVICE_TOKEN', {}),
    createCodedErrorBodySchema('PUSH_SERVICE_NOT_CONFIGURED', {}),
    createCodedErrorBodySchema('NO_ACTIVE_PUSH_DEVICE', {}),
    createCodedErrorBodySchema('INVITATION_FAILED', {
      errors: z.array(z.tuple([z.string(), z.string(), z.boolean()])),
      sent_invitations: z.boolean(),
      license_limit_reached: z.boolean(),
      daily_limit_reached: z.boolean(),
    }),
    createCodedErrorBodySchema('REACTION_ALREADY_EXISTS', {}),
    createCodedErrorBodySchema('REACTION_DOES_NOT_EXIST', {}),
    createCodedErrorBodySchema('STREAM_WILDCARD_MENTION_NOT_ALLOWED', {}),
    createCodedErrorBodySchema('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', {}),
    createCodedErrorBodySchema('INVALID_JSON', {}),
    createCodedErrorBodySchema('ANOMALOUS_WEBHOOK_PAYLOAD', { webhook_name: z.string() }),
    createCodedErrorBodySchema('MISSING_HTTP_EVENT_HEADER', { webhook_name: z.string() }),
  ])
  .meta({ id: 'BadRequest' });

/** Schema of error responses with status 401. */
export const unauthorizedResponseBody = z
  .strictObject({
    ...errorBodyBaseFields,
    code: z.enum(['INVALID_API_KEY', 'UNAUTHORIZED', 'AUTHENTICATION_FAILED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']),
  })
  .meta({ id: 'Unauthorized' });

/** Schema of error responses with status 404. */
export const notFoundResponseBody = z
  .strictObject({ ...errorBodyBaseFields, code: z.enum(['NOT_FOUND', 'NONEXISTENT_SUBDOMAIN', 'BAD_REQUEST']) })
  .meta({ id: 'NotFound' });

/** Schema of error responses with status 403, for requests authenticated by a browser session. */
export const csrfFailedResponseBody = createCodedErrorBodySchema('CSRF_FAILED', { reason: z.string() }).meta({
  id: 'CsrfFailed',
});

/** Schema of error responses with status 422. */
export const idempotencyKeyReusedBody = createCodedErrorBodySchema('IDEMPOTENCY_KEY_REUSED', {}).meta({
  id: 'IdempotencyKeyReused',
});

/** Schema of error responses with status 403, for requests authenticated by an API key without the required scope. */
export const insufficientScopeBody = createCodedErrorBodySchema('INSUFFICIENT_SCOPE', {
  required_scope: apiKeyScopeSchema,
}).meta({
  id: 'InsufficientScope',
});

/** Schema of error responses with status 429. */
export const tooManyRequestsResponseBody = createCodedErrorBodySchema('RATE_LIMIT_HIT', {
  'retry-after': z.number(),
}).meta({
  id: 'TooManyRequests',
});

/** Schema of error responses with status 503. */
export const serviceUnavailableResponseBody = createCodedErrorBodySchema('SERVICE_UNAVAILABLE', {}).meta({
  id: 'ServiceUnavailable',
});

/** OpenAPI descriptions of the error responses of all endpoints that require credentials, by HTTP status. */
export const commonErrorResponses = {
  400: { description: 'The request is invalid', schema: badRequestBody },
  401: { description: 'The credentials are missing or invalid', schema: unauthorizedResponseBody },
  403: { description: 'The API key lacks the scope that the endpoint requires', schema: insufficientScopeBody },
} as const;

/**
 * OpenAPI description of the error response with status 404, for endpoints whose URL path may refer to a nonexistent
 * object.
 */
export const notFoundErrorResponse = {
  404: { description: 'The object does not exist', schema: notFoundResponseBody },
} as const;
