import { type AppError, defineErrors } from '@switchboard/errors';

/** Every error this service answers by name: codes, statuses and texts of docs/contract/chat.md 1.5 and 1.6. */
export const chatErrors = defineErrors({
  BAD_REQUEST: {
    status: 400,
    message: '{reason}',
    description: 'The request is invalid in a way that has no code of its own; the text says how.',
  },
  REQUEST_VARIABLE_MISSING: {
    status: 400,
    message: "Missing '{var_name}' argument",
    description: 'A required parameter was not sent. `var_name` names it.',
  },
  REQUEST_VARIABLE_INVALID: {
    status: 400,
    message: "Bad value for '{var_name}': {bad_value}",
    description: 'A parameter cannot be converted to its type or lies outside its range.',
  },
  REQUEST_CONFUSING_VAR: {
    status: 400,
    message: "Can't decide between '{var_name1}' and '{var_name2}' arguments",
    description: 'A parameter was sent under two of its names at once.',
  },
  BAD_NARROW: {
    status: 400,
    message: 'Invalid narrow operator: {desc}',
    description: 'A term of a narrow is unknown, malformed, or names something the requester cannot see.',
  },
  BAD_EVENT_QUEUE_ID: {
    status: 400,
    message: 'Bad event queue ID: {queue_id}',
    description: 'The event queue is unknown, was collected, or belongs to somebody else. Register a new one.',
  },
  STREAM_DOES_NOT_EXIST: {
    status: 400,
    message: "Channel '{stream}' does not exist",
    description: 'A message was addressed to a channel that does not exist or that its sender cannot see.',
  },
  UNAUTHORIZED_PRINCIPAL: {
    status: 400,
    message: 'Must be an organization administrator',
    description: 'The endpoint is for administrators, or for owners; the text says for whom.',
  },
  CANNOT_ADMINISTER_CHANNEL: {
    status: 400,
    message: 'You do not administer this channel.',
    description: 'The properties of a channel are for its administrators and those of the organization.',
  },
  CANNOT_DEACTIVATE_LAST_USER: {
    status: 400,
    message: 'Cannot deactivate the only {entity}.',
    description: 'Nobody would be left to sign in, or no owner; `is_last_owner` and `entity` say which.',
  },
  CANNOT_DEACTIVATE_GROUP_IN_USE: {
    status: 400,
    message: 'Cannot deactivate user group in use.',
    description: 'The group holds permissions or is part of other groups; `objections` lists them.',
  },
  EXPECTATION_MISMATCH: {
    status: 400,
    message: "'old' value does not match the expected value.",
    description: 'Somebody else changed the thing first: what the client believes it to be is not what it is.',
  },
  SYSTEM_GROUP_REQUIRED: {
    status: 400,
    message: "'{setting_name}' must be a system user group.",
    description: 'Only a system group may hold the permission that `setting_name` names.',
  },
  INVITATION_FAILED: {
    status: 400,
    message: '{reason}',
    description: 'Some people were not invited: `errors` says who and why, `sent_invitations` whether the others were.',
  },
  REACTION_ALREADY_EXISTS: {
    status: 400,
    message: 'Reaction already exists.',
    description: 'The requester has put this emoji under the message before.',
  },
  REACTION_DOES_NOT_EXIST: {
    status: 400,
    message: "Reaction doesn't exist.",
    description: 'The requester has no such emoji under the message.',
  },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    message: 'You do not have permission to use channel wildcard mentions in this channel.',
    description: 'A message mentions everybody in a channel too large for its sender to do so.',
  },
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    message: 'You do not have permission to use topic wildcard mentions in this topic.',
    description: 'A message mentions everybody in a topic with too many participants for its sender to do so.',
  },
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    status: 400,
    message: 'You may move only the {total_messages_allowed_to_move} newest of {total_messages_in_topic} messages.',
    description:
      'A topic has messages too old to be moved; `first_message_id_allowed_to_move` is the oldest that is not.',
  },
  REALM_UPLOAD_QUOTA: {
    status: 400,
    message: "Upload would exceed your organization's upload quota.",
    description: 'The files of the organization would take more space than it is allowed.',
  },
  BAD_IMAGE: {
    status: 400,
    message: 'Could not decode image; did you upload an image file?',
    description: 'A picture was expected, and what was sent is none that this server reads.',
  },
  INVALID_ZOOM_TOKEN: {
    status: 400,
    message: 'Invalid Zoom access token',
    description: 'The requester has not connected Zoom, or Zoom does not take it any more: `/calls/zoom/register`.',
  },
  NOT_FOUND: {
    status: 404,
    message: '{reason}',
    description: 'The thing that the path names does not exist.',
  },
  INVALID_API_KEY: {
    status: 401,
    message: 'Invalid API key',
    description: 'The Authorization header is malformed, or its email and API key do not belong together.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'Not logged in: API authentication or user session required',
    description: 'The endpoint needs credentials and the request carries none.',
  },
  AUTHENTICATION_FAILED: {
    status: 401,
    message: 'Your username or password is incorrect',
    description: 'No account has this email and password.',
  },
  USER_DEACTIVATED: {
    status: 401,
    message: 'Account is deactivated',
    description: 'The credentials are good, but the account was deactivated.',
  },
  REALM_DEACTIVATED: {
    status: 401,
    message: 'This organization has been deactivated',
    description: 'The credentials are good, but the whole organization was deactivated.',
  },
  CSRF_FAILED: {
    status: 403,
    message: 'CSRF error: {reason}',
    description: 'A request that changes something by a session did not repeat the CSRF token of its cookie.',
  },
  RATE_LIMIT_HIT: {
    status: 429,
    message: 'API usage exceeded rate limit',
    description: 'The account or the address asked too often; `retry-after` says for how many seconds to wait.',
  },
  NONEXISTENT_SUBDOMAIN: {
    status: 404,
    message: 'Invalid subdomain',
    description: 'No organization answers at this host.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method Not Allowed',
    description: 'The path exists, but not for this verb; the Allow header lists the verbs.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Internal server error',
    description: 'Something failed that nobody foresaw. X-Request-Id finds the log line.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'Service unavailable',
    description: 'The service has no room for the request, or the database cannot be reached. It may be repeated.',
  },
});

/** The plain refusal: 400 with this text and no code of its own. */
export function badRequest(reason: string): AppError {
  return chatErrors.create('BAD_REQUEST', { message: reason });
}

/** The refusal of work for which there is no room at the moment: the client may repeat the request. */
export function overloaded(): AppError {
  return chatErrors.create('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '5' } });
}

/** A term of a narrow is refused; `desc` says which and why. */
export function badNarrow(desc: string): AppError {
  return chatErrors.create('BAD_NARROW', { params: { desc }, fields: { desc } });
}
