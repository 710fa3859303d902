import { ApplicationError } from '@switchboard/errors';
import { createBadRequestError, chatErrors } from '../../errors.js';

/** Creates the error for an event webhook that does not exist or belongs to another organization. */
function createNoSuchWebhookError(): ApplicationError {
  return chatErrors.create('NOT_FOUND', { message: 'Event webhook does not exist.' });
}

/** Creates the error for a webhook delivery that does not exist, or that its owner may no longer see. */
export function createUnknownWebhookDeliveryError(): ApplicationError {
  return chatErrors.create('NOT_FOUND', { message: 'Delivery does not exist.' });
}

/**
 * Calls a function of the webhook package, and converts the errors of the package to errors of the API.
 *
 * @throws ApplicationError BAD_REQUEST, EVENT_WEBHOOK_URL_REFUSED, NOT_FOUND
 */
export async function convertWebhookErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ApplicationError ? webhookErrorToChatError(error) : error;
  }
}

function webhookErrorToChatError(error: ApplicationError): ApplicationError {
  switch (error.code) {
    case 'WEBHOOK_URL_REFUSED':
      return chatErrors.create('EVENT_WEBHOOK_URL_REFUSED', { message: error.message, cause: error });
    case 'WEBHOOK_ENDPOINT_NOT_FOUND':
      return createNoSuchWebhookError();
    case 'WEBHOOK_DELIVERY_NOT_FOUND':
      return createUnknownWebhookDeliveryError();
    case 'WEBHOOK_INPUT_INVALID':
    case 'WEBHOOK_ENDPOINT_LIMIT':
    case 'WEBHOOK_SECRET_LIMIT':
    case 'WEBHOOK_DELIVERY_NOT_REQUEUED':
      return createBadRequestError(error.message);
    default:
      return error;
  }
}
