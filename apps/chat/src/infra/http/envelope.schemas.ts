import { z } from 'zod';
import { apiKeyScope } from './api-key-scopes.js';

/**
 * Returns the schema of a success response: `result` and `msg` of docs/contract/chat.md 1.4 with the fields of the
 * endpoint, and no other keys.
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

const envelopeBaseSchema = { result: z.literal('error'), msg: z.string() };

function envelopeCodedSchema<C extends string, S extends z.ZodRawShape>(code: C, fields: S) {
  return z.strictObject({ ...envelopeBaseSchema, code: z.literal(code), ...fields });
}

/**
 * Schema of a use of a user group by another group or a permission setting. A use prevents the deactivation of the
 * group.
 */
const groupUseSchema = z.union([
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
    envelopeCodedSchema('BAD_REQUEST', {}),
    envelopeCodedSchema('REQUEST_VARIABLE_MISSING', { var_name: z.string() }),
    envelopeCodedSchema('REQUEST_VARIABLE_INVALID', { var_name: z.string(), bad_value: z.string() }),
    envelopeCodedSchema('REQUEST_CONFUSING_VAR', { var_name1: z.string(), var_name2: z.string() }),
    envelopeCodedSchema('BAD_NARROW', { desc: z.string() }),
    envelopeCodedSchema('BAD_EVENT_QUEUE_ID', { queue_id: z.string() }),
    envelopeCodedSchema('STREAM_DOES_NOT_EXIST', { stream: z.string() }),
    envelopeCodedSchema('STREAM_DOES_NOT_EXIST', { stream_id: z.int() }),
    envelopeCodedSchema('UNAUTHORIZED_PRINCIPAL', {}),
    envelopeCodedSchema('CANNOT_DEACTIVATE_LAST_USER', { is_last_owner: z.boolean(), entity: z.string() }),
    envelopeCodedSchema('CANNOT_DEACTIVATE_GROUP_IN_USE', { objections: z.array(groupUseSchema) }),
    envelopeCodedSchema('EXPECTATION_MISMATCH', {}),
    envelopeCodedSchema('SYSTEM_GROUP_REQUIRED', { setting_name: z.string() }),
    envelopeCodedSchema('CANNOT_ADMINISTER_CHANNEL', {}),
    envelopeCodedSchema('MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', {
      first_message_id_allowed_to_move: z.int(),
      total_messages_in_topic: z.int(),
      total_messages_allowed_to_move: z.int(),
    }),
    envelopeCodedSchema('EVENT_WEBHOOK_URL_REFUSED', {}),
    envelopeCodedSchema('REALM_UPLOAD_QUOTA', {}),
    envelopeCodedSchema('BAD_IMAGE', {}),
    envelopeCodedSchema('INVALID_ZOOM_TOKEN', {}),
    envelopeCodedSchema('INVALID_VIDEO_CALL_PROVIDER_TOKEN', {}),
    envelopeCodedSchema('INVALID_PUSH_DEVICE_TOKEN', {}),
    envelopeCodedSchema('PUSH_SERVICE_NOT_CONFIGURED', {}),
    envelopeCodedSchema('NO_ACTIVE_PUSH_DEVICE', {}),
    envelopeCodedSchema('INVITATION_FAILED', {
      errors: z.array(z.tuple([z.string(), z.string(), z.boolean()])),
      sent_invitations: z.boolean(),
      license_limit_reached: z.boolean(),
      daily_limit_reached: z.boolean(),
    }),
    envelopeCodedSchema('REACTION_ALREADY_EXISTS', {}),
    envelopeCodedSchema('REACTION_DOES_NOT_EXIST', {}),
    envelopeCodedSchema('STREAM_WILDCARD_MENTION_NOT_ALLOWED', {}),
    envelopeCodedSchema('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', {}),
    envelopeCodedSchema('INVALID_JSON', {}),
    envelopeCodedSchema('ANOMALOUS_WEBHOOK_PAYLOAD', { webhook_name: z.string() }),
    envelopeCodedSchema('MISSING_HTTP_EVENT_HEADER', { webhook_name: z.string() }),
  ])
  .meta({ id: 'BadRequest' });

/** Schema of error responses with status 401. */
export const unauthorizedResponseBody = z
  .strictObject({
    ...envelopeBaseSchema,
    code: z.enum(['INVALID_API_KEY', 'UNAUTHORIZED', 'AUTHENTICATION_FAILED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']),
  })
  .meta({ id: 'Unauthorized' });

/** Schema of error responses with status 404. */
export const notFoundResponseBody = z
  .strictObject({ ...envelopeBaseSchema, code: z.enum(['NOT_FOUND', 'NONEXISTENT_SUBDOMAIN', 'BAD_REQUEST']) })
  .meta({ id: 'NotFound' });

/** Schema of error responses with status 403, for requests authenticated by a browser session. */
export const csrfFailedResponseBody = envelopeCodedSchema('CSRF_FAILED', { reason: z.string() }).meta({
  id: 'CsrfFailed',
});

/** Schema of error responses with status 422. */
export const idempotencyKeyReusedBody = envelopeCodedSchema('IDEMPOTENCY_KEY_REUSED', {}).meta({
  id: 'IdempotencyKeyReused',
});

/** Schema of error responses with status 403, for requests authenticated by an API key without the required scope. */
export const insufficientScopeBody = envelopeCodedSchema('INSUFFICIENT_SCOPE', { required_scope: apiKeyScope }).meta({
  id: 'InsufficientScope',
});

/** Schema of error responses with status 429. */
export const tooManyRequestsResponseBody = envelopeCodedSchema('RATE_LIMIT_HIT', { 'retry-after': z.number() }).meta({
  id: 'TooManyRequests',
});

/** Schema of error responses with status 503. */
export const unavailableBody = envelopeCodedSchema('SERVICE_UNAVAILABLE', {}).meta({ id: 'ServiceUnavailable' });

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
