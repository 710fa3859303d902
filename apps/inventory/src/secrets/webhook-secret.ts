import type { SecretBox } from '@switchboard/auth';

/** Purpose to which sealed webhook secrets are bound, so that they cannot be opened for another field. */
export const webhookSecretPurpose = 'extras.webhook.secret';

/**
 * The secret of a webhook in clear, or null when it has none.
 *
 * @param stored column `secret` of `extras_webhook`
 * @throws SecretBoxError when its key is not configured any more
 */
export function openWebhookSecret(box: SecretBox, stored: string): string | null {
  return stored === '' ? null : box.open(stored, webhookSecretPurpose);
}
