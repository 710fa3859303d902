import { defineErrors } from '@switchboard/errors';

/**
 * Every error that this service answers by name. Bodies follow docs/contract/inventory.md 1.5; status 401 does not
 * occur.
 */
export const errors = defineErrors({
  VALIDATION_FAILED: {
    status: 400,
    message: 'The request was refused',
    description:
      'A body or query parameter was refused. The answer is a map from field or parameter to messages; `__all__` and `non_field_errors` hold messages about several fields, bulk requests are keyed by index, and conflicts of paging parameters are a bare list.',
  },
  REQUEST_ABORTED: {
    status: 400,
    message: 'The request was refused',
    description:
      'A rule outside the fields of one object refuses the change, such as a tag that is restricted to other models.',
  },
  EXPORT_FAILED: {
    status: 400,
    message: '{reason}',
    description:
      'The export template cannot be rendered with the list: the text says what is wrong with it, or that it takes more than templates are given.',
  },
  RESPONSE_TOO_LARGE: {
    status: 400,
    message:
      'The response would be larger than {limit} bytes. Ask for fewer objects at a time with `limit` and follow `next`, or for fewer fields with `brief=true`, `fields` or `omit`.',
    description:
      'The list, object, export or bulk change is larger than `RESPONSE_MAX_BYTES`, or has to be processed in memory and is larger than `RESPONSE_IN_MEMORY_BYTES`. Pages of a `limit`, fewer fields, and fewer objects in a bulk change make it smaller.',
  },
  PARSE_ERROR: {
    status: 400,
    message: 'JSON parse error - {reason}',
    description: 'The body is not valid JSON.',
  },
  FORM_PARSE_ERROR: {
    status: 400,
    message: 'Multipart form parse error - {reason}',
    description: 'The body says that it is multipart/form-data, and is not.',
  },
  NOT_AUTHENTICATED: {
    status: 403,
    message: 'Authentication credentials were not provided.',
    description: 'The request carries no credentials and the path needs them.',
  },
  AUTHENTICATION_FAILED: {
    status: 403,
    message: 'Invalid token',
    description:
      'The credentials are malformed, unknown, expired or disabled, the user is inactive, or the address is not allowed for the token; the text says which.',
  },
  INVALID_LOGIN: {
    status: 403,
    message: 'Invalid username/password',
    description: 'Provisioning a token was asked for with a name and password that do not belong together.',
  },
  LOGIN_THROTTLED: {
    status: 429,
    message: 'Request was throttled. Expected available in {seconds} seconds.',
    description:
      'Too many logins to the account, or from the address, have failed (`LOGIN_FAILURES_PER_ACCOUNT`, `LOGIN_FAILURES_PER_ADDRESS`). `Retry-After` says when the next one is accepted.',
  },
  CSRF_FAILED: {
    status: 403,
    message: 'CSRF Failed: {reason}',
    description:
      'A change by a session that does not repeat its CSRF token, which the cookie `csrftoken` holds, in the header `X-CSRFToken`.',
  },
  PERMISSION_DENIED: {
    status: 403,
    message: 'You do not have permission to perform this action.',
    description: 'The user may not do this, or the token is not enabled for writing.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Not found.',
    description: 'There is no such path, id or format.',
  },
  OBJECT_NOT_FOUND: {
    status: 404,
    message: 'No {model} matches the given query.',
    description: 'There is no object with this id, or none that the user may see.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method "{method}" not allowed.',
    description: 'The path exists and does not take this method; `Allow` lists those it takes.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    message: 'Could not satisfy the request Accept header.',
    description: 'The client accepts none of the media types that the service can send.',
  },
  INVALID_VERSION: {
    status: 406,
    message: 'Invalid version in "Accept" header.',
    description: 'The `version` parameter of the `Accept` header is not the version of this API.',
  },
  PROTECTED: {
    status: 409,
    message: 'Unable to delete object. {count} dependent objects were found: {objects}',
    description:
      'Objects that must keep what they refer to refer to the object, or to one that would be deleted with it.',
  },
  DELETION_TOO_LARGE: {
    status: 400,
    message:
      'Deleting these objects would delete or change {count} objects in total, and one request may delete or change at most {limit}. Delete fewer objects at a time.',
    description:
      'The deletion, with the objects that are deleted with it and those whose references are set to null, is larger than `DELETION_OBJECTS_MAX`. Nothing was changed.',
  },
  INSUFFICIENT_RESOURCES: {
    status: 409,
    message: 'Insufficient resources are available to satisfy the request',
    description: 'Fewer addresses, prefixes, AS numbers or VLAN ids are free than were asked for; none was taken.',
  },
  DELIVERY_NOT_FAILED: {
    status: 409,
    message: 'Only deliveries that have failed or wait can be requeued, and this one is {status}.',
    description:
      'A delivery can be sent by hand that has finally failed, or that waits for its next attempt or its receiver. One that is under way, or comes after another about the same object, cannot.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'Precondition failed.',
    description: 'The object changed since the client read the `ETag` that it sent in `If-Match`.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'Request body is too large.',
    description: 'The body is larger than the service reads (`BODY_LIMIT_BYTES`).',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported media type "{type}" in request.',
    description: 'The body is of a media type that the path does not read.',
  },
  BAD_REQUEST: {
    status: 400,
    message: 'Bad request.',
    description: 'The request itself is malformed, or holds a value that the database cannot keep.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Internal server error',
    description: 'An error that nobody foresaw. It is in the log under the request id of the answer.',
  },
  SCRIPT_WORKER_MISSING: {
    status: 503,
    message: 'Unable to process request: RQ worker process not running.',
    description: 'Scripts are run by workers, and none is there.',
  },
  QUEUES_UNAVAILABLE: {
    status: 503,
    message: 'The background queues cannot be reached.',
    description: 'Redis, which knows what runs and who works, is away. Nothing was changed, and nothing is lost.',
  },
  RESPONSE_NOT_STORED: {
    status: 503,
    message:
      'The response is too large to be built in memory, and cannot be written to disk at present. Ask for fewer objects at a time with `limit`, or try again later.',
    description:
      'The disk with `RESPONSE_FOLDER` is full or fails, or too many large responses are being sent. Smaller responses need no disk.',
  },
  UNAVAILABLE: {
    status: 503,
    message: 'Service unavailable',
    description: 'The database cannot be reached, or the service is stopping.',
  },
});
