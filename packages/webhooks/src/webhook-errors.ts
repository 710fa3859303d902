import { defineErrorCatalog } from '@switchboard/errors';

/** Errors that this package throws as an `ApplicationError`, by code. A service renders these errors like its other errors. */
export const webhookErrors = defineErrorCatalog({
  WEBHOOK_INPUT_INVALID: {
    status: 400,
    message: 'The input is invalid',
    description: 'The input does not match its schema. The field `issues` lists each problem with its path.',
  },
  WEBHOOK_URL_REFUSED: {
    status: 400,
    message: 'The URL is refused: {reason}',
    description: 'The URL is not an HTTP URL, contains credentials, or has an address or port that the policy refuses.',
  },
  WEBHOOK_EVENT_TYPE_UNKNOWN: {
    status: 400,
    message: 'The event type {type} does not exist',
    description: 'The service emits no events of this type.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    status: 404,
    message: 'The webhook endpoint does not exist',
    description: 'The endpoint does not exist, was deleted, or belongs to another owner.',
  },
  WEBHOOK_DELIVERY_NOT_FOUND: {
    status: 404,
    message: 'The webhook delivery does not exist',
    description: 'The delivery does not exist, was removed by age, or belongs to another owner.',
  },
  WEBHOOK_ENDPOINT_LIMIT: {
    status: 409,
    message: 'There are {limit} webhook endpoints already',
    description: 'The owner has the maximum number of endpoints.',
  },
  WEBHOOK_SECRET_LIMIT: {
    status: 409,
    message: 'There are {limit} replaced secrets that have not expired',
    description: 'The secret was rotated too often. Rotate it without overlap, or after a replaced secret has expired.',
  },
  WEBHOOK_DELIVERY_NOT_REQUEUED: {
    status: 409,
    message: 'The webhook delivery is neither failed nor waiting',
    description: 'The delivery has succeeded, is being sent, or waits for an earlier delivery with the same key.',
  },
});
