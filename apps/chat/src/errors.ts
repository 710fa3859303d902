import { type ApplicationError, defineErrorCatalog } from '@switchboard/errors';

/** Error catalog of chat: codes, HTTP statuses and message texts of docs/contract/chat.md 1.5 and 1.6. */
export const chatErrors = defineErrorCatalog({
  BAD_REQUEST: {
    status: 400,
    message: '{reason}',
    description: 'The request is invalid for a reason without a code of its own; the message names the reason.',
  },
  REQUEST_VARIABLE_MISSING: {
    status: 400,
    message: "Missing '{var_name}' argument",
    description: 'A required parameter was not sent. `var_name` names it.',
  },
  REQUEST_VARIABLE_INVALID: {
    status: 400,
    message: "Bad value for '{var_name}': {bad_value}",
    description: 'A parameter has a value of the wrong type or outside the permitted range.',
  },
  REQUEST_CONFUSING_VAR: {
    status: 400,
    message: "Can't decide between '{var_name1}' and '{var_name2}' arguments",
    description: 'The request contains the same parameter under two of its names.',
  },
  BAD_NARROW: {
    status: 400,
    message: 'Invalid narrow operator: {desc}',
    description: 'A term of a narrow is unknown, malformed, or names something the requester cannot see.',
  },
  BAD_EVENT_QUEUE_ID: {
    status: 400,
    message: 'Bad event queue ID: {queue_id}',
    description: 'The event queue does not exist, has expired, or belongs to another user. Register a new one.',
  },
  STREAM_DOES_NOT_EXIST: {
    status: 400,
    message: "Channel '{stream}' does not exist",
    description: 'A message was addressed to a channel that does not exist or that its sender cannot see.',
  },
  UNAUTHORIZED_PRINCIPAL: {
    status: 400,
    message: 'Must be an organization administrator',
    description: 'The endpoint requires an administrator or an owner of the organization; the message names the role.',
  },
  CANNOT_ADMINISTER_CHANNEL: {
    status: 400,
    message: 'You do not administer this channel.',
    description: 'Only administrators of the channel or of the organization may change its properties.',
  },
  CANNOT_DEACTIVATE_LAST_USER: {
    status: 400,
    message: 'Cannot deactivate the only {entity}.',
    description:
      'The account is the last active user or the last owner of the organization; `is_last_owner` and `entity` show which.',
  },
  CANNOT_DEACTIVATE_GROUP_IN_USE: {
    status: 400,
    message: 'Cannot deactivate user group in use.',
    description: 'Permission settings or other groups contain the group; `objections` lists them.',
  },
  EXPECTATION_MISMATCH: {
    status: 400,
    message: "'old' value does not match the expected value.",
    description:
      'The current value differs from the `old` value in the request, because another request changed it first.',
  },
  SYSTEM_GROUP_REQUIRED: {
    status: 400,
    message: "'{setting_name}' must be a system user group.",
    description: 'The setting in `setting_name` accepts only a system group.',
  },
  INVITATION_FAILED: {
    status: 400,
    message: '{reason}',
    description:
      'Some addresses were not invited: `errors` lists each with its reason, and `sent_invitations` shows whether the others were invited.',
  },
  REACTION_ALREADY_EXISTS: {
    status: 400,
    message: 'Reaction already exists.',
    description: 'The user has already added this reaction to the message.',
  },
  REACTION_DOES_NOT_EXIST: {
    status: 400,
    message: "Reaction doesn't exist.",
    description: 'The user has not added this reaction to the message.',
  },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    message: 'You do not have permission to use channel wildcard mentions in this channel.',
    description: 'The message mentions everyone in a large channel, and the sender lacks the permission for that.',
  },
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    message: 'You do not have permission to use topic wildcard mentions in this topic.',
    description:
      'The message mentions everyone in a topic with many participants, and the sender lacks the permission for that.',
  },
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    status: 400,
    message: 'You may move only the {total_messages_allowed_to_move} newest of {total_messages_in_topic} messages.',
    description:
      'Some messages of the topic are too old for this user to move; `first_message_id_allowed_to_move` is the oldest that can be moved.',
  },
  EVENT_WEBHOOK_URL_REFUSED: {
    status: 400,
    message: 'The URL is refused.',
    description:
      'The URL of an event webhook is no HTTP URL, contains credentials, or has an address or port that the server does not allow. The message names the reason.',
  },
  REALM_UPLOAD_QUOTA: {
    status: 400,
    message: "Upload would exceed your organization's upload quota.",
    description: 'With this file, the uploads of the organization would exceed its storage limit.',
  },
  BAD_IMAGE: {
    status: 400,
    message: 'Could not decode image; did you upload an image file?',
    description: 'The uploaded file is not an image in a format that the server reads.',
  },
  INVALID_ZOOM_TOKEN: {
    status: 400,
    message: 'Invalid Zoom access token',
    description:
      'The user has not connected a Zoom account, or Zoom has revoked the access. Connect it again at `/calls/zoom/register`.',
  },
  INVALID_VIDEO_CALL_PROVIDER_TOKEN: {
    status: 400,
    message: 'Invalid Webex access token',
    description:
      'The user has not connected a Webex account, or Webex has revoked the access. Connect it again at `/calls/webex/register`.',
  },
  INVALID_JSON: {
    status: 400,
    message: 'Malformed JSON',
    description: 'The body of an incoming webhook is not JSON, or is nested too deeply or has too many values.',
  },
  ANOMALOUS_WEBHOOK_PAYLOAD: {
    status: 400,
    message: 'The request does not have the form of a {webhook_name} webhook',
    description:
      'The body of an incoming webhook lacks a field that its sender always sends. The URL may be that of another integration.',
  },
  MISSING_HTTP_EVENT_HEADER: {
    status: 400,
    message: "Missing the HTTP event header '{header}'",
    description: 'An incoming webhook lacks the header with which its sender names the event.',
  },
  INVALID_PUSH_DEVICE_TOKEN: {
    status: 400,
    message: 'Device not recognized',
    description: 'The user has not added this push token.',
  },
  PUSH_SERVICE_NOT_CONFIGURED: {
    status: 400,
    message: 'Server is not configured to use push notification service.',
    description: 'Push notifications need an account with a push service, which this server does not have.',
  },
  NO_ACTIVE_PUSH_DEVICE: {
    status: 400,
    message: 'No active registered push device',
    description: 'No device of the user is registered for encrypted push notifications.',
  },
  NOT_FOUND: {
    status: 404,
    message: '{reason}',
    description: 'The object in the path does not exist, or the user cannot see it.',
  },
  INVALID_API_KEY: {
    status: 401,
    message: 'Invalid API key',
    description: 'The Authorization header is malformed, or the API key is not that of the email address.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'Not logged in: API authentication or user session required',
    description: 'The endpoint requires credentials, and the request contains none.',
  },
  AUTHENTICATION_FAILED: {
    status: 401,
    message: 'Your username or password is incorrect',
    description: 'No account has this email and password.',
  },
  USER_DEACTIVATED: {
    status: 401,
    message: 'Account is deactivated',
    description: 'The credentials are correct, but the account is deactivated.',
  },
  REALM_DEACTIVATED: {
    status: 401,
    message: 'This organization has been deactivated',
    description: 'The credentials are correct, but the organization is deactivated.',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    message: 'This API key lacks the scope {required_scope}',
    description:
      'The endpoint requires a scope that the API key does not have; `required_scope` names it. The OpenAPI document states the scope of each operation.',
  },
  CSRF_FAILED: {
    status: 403,
    message: 'CSRF error: {reason}',
    description: 'A request that changes data with a session cookie lacks the CSRF token of that session.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: 'This Idempotency-Key was used with other parameters',
    description:
      'A request of the same user with this `Idempotency-Key` sent another message within the last day. Send each new message with a new key.',
  },
  RATE_LIMIT_HIT: {
    status: 429,
    message: 'API usage exceeded rate limit',
    description: 'The account or the address sent too many requests; `retry-after` is the number of seconds to wait.',
  },
  NONEXISTENT_SUBDOMAIN: {
    status: 404,
    message: 'Invalid subdomain',
    description: 'No organization has this host name.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method Not Allowed',
    description: 'The path does not support this method; the Allow header lists those it supports.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Internal server error',
    description: 'An unexpected error. The log line has the request id of the header X-Request-Id.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'Service unavailable',
    description:
      'The service is overloaded, or the database cannot be reached. Send the request again after `Retry-After` seconds.',
  },
});

/** Creates an error with HTTP status 400, the general code BAD_REQUEST and the given message. */
export function createBadRequestError(reason: string): ApplicationError {
  return chatErrors.create('BAD_REQUEST', { message: reason });
}

/** Creates the error for a temporary overload, after which the client may send the request again. */
export function createOverloadedError(): ApplicationError {
  return chatErrors.create('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '5' } });
}

/** Creates the error for an invalid term of a narrow (message filter). `desc` names the term and the reason. */
export function createBadNarrowError(desc: string): ApplicationError {
  return chatErrors.create('BAD_NARROW', { params: { desc }, fields: { desc } });
}
