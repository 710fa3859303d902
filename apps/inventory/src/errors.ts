import { defineErrorCatalog } from '@switchboard/errors';

/**
 * Error codes of the inventory service, with their messages and HTTP statuses. Response bodies follow
 * docs/contract/inventory.md 1.5. The status 401 does not occur.
 */
export const inventoryErrors = defineErrorCatalog({
  VALIDATION_FAILED: {
    status: 400,
    message: 'The request was refused',
    description:
      'A field of the body or a query parameter is invalid. The response is a map from field or parameter to messages; `__all__` and `non_field_errors` contain messages about several fields. Responses to bulk requests are keyed by index, and conflicts of paging parameters are a plain list.',
  },
  REQUEST_ABORTED: {
    status: 400,
    message: 'The request was refused',
    description:
      'The change breaks a rule that concerns more than the fields of one object, such as a tag that is restricted to other models.',
  },
  EXPORT_FAILED: {
    status: 400,
    message: '{reason}',
    description:
      'The export template cannot be rendered: the template contains an error or exceeds the limits of templates. The message names the cause.',
  },
  RESPONSE_TOO_LARGE: {
    status: 400,
    message:
      'The response would be larger than {limit} bytes. Ask for fewer objects at a time with `limit` and follow `next`, or for fewer fields with `brief=true`, `fields` or `omit`.',
    description:
      'The list, object, export or bulk change is larger than `RESPONSE_MAX_BYTES`, or has to be processed in memory and is larger than `RESPONSE_IN_MEMORY_BYTES`. Pages of a `limit`, fewer fields, and fewer objects in a bulk change make it smaller.',
  },
  CONNECTED_DEVICE_PARAMETERS: {
    status: 400,
    message: 'Request must include "peer_device" and "peer_interface" filters.',
    description: 'The query of `connected-device` names no device or no interface.',
  },
  PARSE_ERROR: {
    status: 400,
    message: 'JSON parse error - {reason}',
    description: 'The body is not valid JSON.',
  },
  FORM_PARSE_ERROR: {
    status: 400,
    message: 'Multipart form parse error - {reason}',
    description: 'The Content-Type is multipart/form-data, but the body cannot be parsed as such.',
  },
  NOT_AUTHENTICATED: {
    status: 403,
    message: 'Authentication credentials were not provided.',
    description: 'The request contains no credentials, and the endpoint requires them.',
  },
  AUTHENTICATION_FAILED: {
    status: 403,
    message: 'Invalid token',
    description:
      "The credentials are malformed, unknown, expired or disabled, the user is inactive, or the token does not allow the client's address. The message names the cause.",
  },
  INVALID_LOGIN: {
    status: 403,
    message: 'Invalid username/password',
    description: 'The user name or the password in the request for a token is wrong.',
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
      'A request that changes data with a session cookie must repeat the token of the cookie `csrftoken` in the header `X-CSRFToken`.',
  },
  PERMISSION_DENIED: {
    status: 403,
    message: 'You do not have permission to perform this action.',
    description: 'The user lacks the permission, or the token does not allow writes.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Not found.',
    description: 'The path, the id or the format does not exist.',
  },
  OBJECT_NOT_FOUND: {
    status: 404,
    message: 'No {model} matches the given query.',
    description: 'No object has this id, or the user cannot see it.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Method "{method}" not allowed.',
    description: 'The path does not support this method; the `Allow` header lists those it supports.',
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
    description: 'Other objects refer to this object, or to a dependent object, by a reference that prevents deletion.',
  },
  DELETION_TOO_LARGE: {
    status: 400,
    message:
      'Deleting these objects would delete or change {count} objects in total, and one request may delete or change at most {limit}. Delete fewer objects at a time, or first objects that refer to them.',
    description:
      'The deletion, with the objects that are deleted with it and those whose references are set to null, is larger than `DELETION_OBJECTS_MAX`. Rows that have no change log, such as assignments of a tag, do not count. Nothing was changed.',
  },
  CREATION_TOO_LARGE: {
    status: 400,
    message:
      'Creating these objects would create {count} objects in total, and one request may create at most {limit}. Create fewer objects at a time.',
    description:
      'The request creates more than `CREATION_OBJECTS_MAX` objects, including dependent objects such as the components of devices. Nothing was changed.',
  },
  INSUFFICIENT_RESOURCES: {
    status: 409,
    message: 'Insufficient resources are available to satisfy the request',
    description:
      'Fewer addresses, prefixes, AS numbers or VLAN ids are available than the request asks for; none was allocated.',
  },
  DELIVERY_NOT_FAILED: {
    status: 409,
    message: 'Only deliveries that have failed or wait can be requeued, and this one is {status}.',
    description:
      'Only deliveries that have failed permanently, or wait for the next attempt or for the receiver, can be sent again. A delivery that is being sent, or that waits for another delivery about the same object, cannot be sent again.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'Precondition failed.',
    description: 'The object changed since the client read the `ETag` that it sent in `If-Match`.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'Request body is too large.',
    description: 'The body is larger than `BODY_LIMIT_BYTES`.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported media type "{type}" in request.',
    description: 'The endpoint does not read bodies of this media type.',
  },
  BAD_REQUEST: {
    status: 400,
    message: 'Bad request.',
    description: 'The request is malformed, or contains a value that the database cannot store.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Internal server error',
    description: 'An unexpected error. The log line has the request id of the response.',
  },
  SCRIPTS_UNSUPPORTED: {
    status: 400,
    message: 'Custom scripts are Python classes, and this service does not run Python. Nothing was uploaded.',
    description:
      'Scripts of the reference API are Python classes that run in its process. Run such programs elsewhere, as clients of this API.',
  },
  SCRIPT_WORKER_MISSING: {
    status: 503,
    message: 'Unable to process request: RQ worker process not running.',
    description: 'Scripts run in worker processes, and none is running.',
  },
  QUEUES_UNAVAILABLE: {
    status: 503,
    message: 'The background queues cannot be reached.',
    description:
      'Redis cannot be reached, so the state of jobs and workers is unknown. Nothing was changed, and nothing is lost.',
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
    description:
      'The database or the store of pictures cannot be reached, the service is stopping, or too many templates are being rendered.',
  },
});
