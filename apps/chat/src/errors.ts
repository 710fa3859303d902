import { type AppError, defineErrors } from '@switchboard/errors';

/** Every error this service answers by name: codes, statuses and texts of chat-contract 1.5 and 1.6. */
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
  NONEXISTENT_SUBDOMAIN: {
    status: 404,
    message: 'Invalid subdomain',
    description: 'No organization answers at this host.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method Not Allowed',
    description: 'The path exists, but not for this verb; the Allow header lists the verbs. The body carries no code.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Internal server error',
    description: 'Something failed that nobody foresaw. The body carries no code; X-Request-Id finds the log line.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'Service unavailable',
    description: 'The database cannot be reached at the moment. The request may be repeated.',
  },
});

/** The plain refusal: 400 with this text and no code of its own. */
export function badRequest(reason: string): AppError {
  return chatErrors.create('BAD_REQUEST', { message: reason });
}

/** A term of a narrow is refused; `desc` says which and why. */
export function badNarrow(desc: string): AppError {
  return chatErrors.create('BAD_NARROW', { params: { desc }, fields: { desc } });
}
