import { getChannelWebUrlPath } from '../../infra/markdown/index.js';
import type { MessageRecord } from '../../core/messages/index.js';
import type { DueBotServiceRequest } from './bot-calls.repository.js';

/** Maximum number of characters of a bot service's response that the message to the bot's owner contains. */
const maxShownBotErrorLength = 500;

/**
 * Returns the Markdown message to a bot's owner about a request to the bot's service that has failed permanently.
 */
export function createBotServiceFailureMessage(
  { bot, message }: DueBotServiceRequest,
  reason: string,
  said: string,
): string {
  const mention = `@_**${bot.fullName}|${bot.id}**`;
  const notice = `Your bot ${mention} could not answer [a message](${getMessageUrlPath(message)}): its service ${reason}.`;
  const shown = said.replaceAll('\0', '').trim().slice(0, maxShownBotErrorLength);
  if (shown === '') return notice;
  // No line of the response may end the code block.
  return `${notice}\n\nWhat it said:\n\`\`\`\n${shown.replaceAll('```', "'''")}\n\`\`\``;
}

/** Message that a bot sends to users when its service cannot be reached. */
export const botServiceUnavailableText = 'Failure! My service is not available. My owner has been told.';

/** Message that a bot sends in response to a direct message if the bot's service supports only channel messages. */
export const directMessagesNotSupportedText = 'Failure! My service takes messages in channels only.';

function getMessageUrlPath({ id, channel, topic, participants }: MessageRecord): string {
  if (channel !== null) return getChannelWebUrlPath(channel, topic, { operator: 'near', messageId: id });
  return `/#narrow/dm/${participants.map((person) => person.id).join(',')}/near/${id}`;
}
