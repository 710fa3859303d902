import type { ChatConfig } from '../../config.js';
import { createBadRequestError } from '../../errors.js';
import { checkEmail } from '../../core/users/index.js';

/**
 * Returns the email address of a bot with the given short name (docs/contract/chat.md 2.F).
 * @throws ApplicationError BAD_REQUEST
 */
export function createBotEmailAddress(
  config: Pick<ChatConfig, 'DEMO_BOT_DOMAIN' | 'DEMO_EMAIL_DOMAIN'>,
  shortName: string,
): string {
  const name = shortName.trim();
  if (name === '' || /[\s@]/.test(name)) throw createBadRequestError('Bad name or username');
  return checkEmail(`${name}-bot@${config.DEMO_BOT_DOMAIN ?? config.DEMO_EMAIL_DOMAIN}`);
}
