import type { SecretBox } from '@switchboard/auth';

/** Purpose to which sealed bot keys of chat destinations are bound, so that they cannot be opened for another field. */
export const botKeyPurpose = 'extras.chatdestination.bot_key';

/**
 * The bot key of a chat destination in clear, or null when it has none.
 *
 * @param stored column `bot_key` of `extras_chatdestination`
 * @throws SecretBoxError when its key is not configured any more
 */
export function openBotKey(box: SecretBox, stored: string): string | null {
  return stored === '' ? null : box.open(stored, botKeyPurpose);
}
