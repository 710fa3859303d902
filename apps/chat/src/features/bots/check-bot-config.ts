import { createBadRequestError } from '../../errors.js';
import { incomingWebhookSecretConfigKey } from '../../core/users/index.js';
import { webhookFormats } from '../integrations/index.js';

/** Maximum length of a value in the configuration of a bot, in UTF-16 code units. */
const maxValueLength = 500;

/** Checks that a new incoming webhook bot names an existing integration. @throws ApplicationError BAD_REQUEST */
export function checkServiceName(name: string | undefined): void {
  if (name === undefined || name === '' || webhookFormats.some((format) => format.name === name)) return;
  throw createBadRequestError(`Invalid integration '${name}'.`);
}

/**
 * Checks the configuration of an incoming webhook bot.
 *
 * @throws ApplicationError BAD_REQUEST for an unknown key or a value that is too long
 */
export function checkIncomingWebhookConfiguration(
  config: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(config)) {
    if (key !== incomingWebhookSecretConfigKey) throw createBadRequestError(`Invalid configuration key '${key}'`);
    if (value.length > maxValueLength) {
      throw createBadRequestError(`config_data["${key}"] is too long (limit: ${maxValueLength} characters)`);
    }
  }
  return config;
}
