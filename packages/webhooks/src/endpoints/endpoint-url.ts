import { OutboundError } from '@switchboard/outbound';
import { webhookErrors } from '../webhook-errors.js';

/**
 * Checks the URL of an endpoint before it is stored. The address of a host name is checked only when a request is sent,
 * because the address may change.
 *
 * @throws ApplicationError `WEBHOOK_URL_REFUSED`
 */
export function checkEndpointUrl(policy: { checkUrl(url: string): void }, url: string): void {
  try {
    policy.checkUrl(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw webhookErrors.create('WEBHOOK_URL_REFUSED', { params: { reason: error.message }, cause: error });
  }
}
