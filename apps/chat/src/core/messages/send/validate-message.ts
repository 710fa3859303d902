import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import type { MessageRenderer, ParsedMessage } from '../../../infra/markdown/index.js';
import { checkChannelMessage } from './channel-conversation.js';
import { getChannelDestination } from './channel-destination.repository.js';
import { checkDirectMessageParticipants } from './direct-destination.repository.js';
import { normalizeTopicForSending } from './normalize-message-text.js';
import { resolveMarkdownNames } from './resolve-markdown-names.js';

/** Recipient of a message that is checked before it is stored: a channel with a topic, or users. */
export type ValidatedRecipient =
  | { readonly channelId: number; readonly topic: string | undefined }
  | { readonly userIds: readonly number[] };

/** A message that passed the checks for sending messages. */
export interface ValidatedMessage {
  /** Topic of the message in its stored form; empty for direct messages. */
  readonly topic: string;
  /**
   * Ids of the participants of a direct message including its author, in ascending order; empty for channel messages.
   */
  readonly participantIds: readonly number[];
  /** Content of the message as HTML. */
  readonly html: string;
}

/**
 * Checks a message that is stored now and sent later by the rules of sending (docs/contract/chat.md 5.2). Takes no
 * locks and writes nothing, so the rules are checked again when the message is sent.
 *
 * @throws ApplicationError the errors of {@link SendMessage}
 */
export async function validateMessage(
  tx: Tx,
  renderer: MessageRenderer,
  actor: ChatActor,
  { parsed, recipient }: { readonly parsed: ParsedMessage; readonly recipient: ValidatedRecipient },
): Promise<ValidatedMessage> {
  const rendered = renderer.render(parsed, await resolveMarkdownNames(tx, actor, parsed));
  if ('userIds' in recipient) {
    const participantIds = await checkDirectMessageParticipants(tx, actor, recipient.userIds);
    return { topic: '', participantIds, html: rendered.html };
  }
  const destination = await getChannelDestination(tx, actor, { id: recipient.channelId });
  const topic = await checkChannelMessage(tx, destination, normalizeTopicForSending(recipient.topic), rendered);
  return { topic, participantIds: [], html: rendered.html };
}
