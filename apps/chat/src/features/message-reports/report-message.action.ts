import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { MessageRenderer, type RealmMarkdownRenderingSettings } from '../../infra/markdown/index.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { lockChannels, type LockedChannel } from '../../core/channels/index.js';
import { type LockedMessage, lockMessage } from '../../core/message-access/index.js';
import { ClientProgramIdCache, internalClientName, postNotificationBotMessage } from '../../core/messages/index.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import { getRealmRow, messageReportReasons } from '../../core/realms/index.js';
import type { reportMessageParameters } from './message-reports.schemas.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Maximum number of code points that a report quotes from the reported message. */
const maxReportQuoteLength = 2000;

type ReportMessageParameters = DecodedParametersOfDefinition<typeof reportMessageParameters>;

/**
 * Reports a message to the moderators. The report is posted to the moderators' channel, in a topic named after the
 * sender of the reported message (docs/contract/chat.md 2.C).
 */
@Injectable()
export class ReportMessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
    private readonly contents: RealmMarkdownSettingsCache,
  ) {}

  /**
   * Posts a report of the message with the given id to the moderators' channel.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor, messageId: number, parameters: ReportMessageParameters): Promise<void> {
    const reason = getReportReasonText(parameters);
    const clientId = await this.clients.getClientId(internalClientName);
    const realm = await this.contents.get(actor.realmId);
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const { moderationRequestChannelId } = await getRealmRow(tx, actor.realmId);
      if (moderationRequestChannelId === null) {
        throw createBadRequestError('This organization has no channel for reports.');
      }
      const message = await lockMessage(tx, actor, messageId, {
        purpose: 'subscribers',
        alsoChannelId: moderationRequestChannelId,
      });
      const ids = [moderationRequestChannelId];
      const [channel] = await lockChannels(tx, actor.realmId, { ids }, 'subscribers');
      if (channel === undefined) throw createBadRequestError('This organization has no channel for reports.');
      await this.#post(tx, actor, message, {
        channel,
        reason,
        clientId,
        realm,
        description: parameters.description ?? '',
      });
    });
  }

  async #post(tx: Tx, actor: ChatActor, message: LockedMessage, report: MessageReport): Promise<void> {
    const { channel, clientId } = report;
    const names = await readConversationParticipantNames(tx, [actor.id, message.senderId]);
    const sender = names.get(message.senderId) ?? '';
    await postNotificationBotMessage(
      tx,
      { events: this.events, renderer: this.renderer, realm: report.realm },
      {
        realmId: actor.realmId,
        recipientId: channel.recipient_id,
        channel: { id: channel.id, name: channel.name },
        isPublic: !channel.is_private,
        topic: [...`${sender}`].slice(0, 60).join(''),
        content: createReportText(actor, message, report, names),
        clientId,
      },
    );
  }
}

interface MessageReport {
  readonly channel: LockedChannel;
  readonly reason: string;
  readonly description: string;
  readonly clientId: number;
  readonly realm: RealmMarkdownRenderingSettings;
}

/**
 * Returns the text that states the reason of a message report.
 *
 * @throws ApplicationError BAD_REQUEST for an unknown kind of report, or a missing description if the kind requires one
 */
function getReportReasonText({ report_type: key, description }: ReportMessageParameters): string {
  const type = messageReportReasons.find((known) => known.key === key);
  if (type === undefined) throw createBadRequestError('Invalid report_type');
  if (key === 'other' && (description ?? '').trim() === '') throw createBadRequestError('A description is required.');
  return type.name;
}

/**
 * Returns the Markdown of a message report. The fence of the quote block is longer than any fence in the quoted text,
 * so that the quoted text cannot close the block.
 */
function createReportText(
  actor: ChatActor,
  message: LockedMessage,
  { reason, description }: MessageReport,
  names: ReadonlyMap<number, string>,
): string {
  const mention = (id: number): string => `@_**${names.get(id) ?? ''}|${id}**`;
  const quote = [...message.content].slice(0, maxReportQuoteLength).join('');
  const longest = Math.max(2, ...Array.from(quote.matchAll(/[`~]+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const place = message.channel === null ? 'a direct message' : `#**${message.channel.name}>${message.topic}**`;
  const lines = [`${mention(actor.id)} reported a message of ${mention(message.senderId)} in ${place}: ${reason}.`];
  if (description.trim() !== '') lines.push('', `${fence}quote`, description.trim(), fence);
  return [...lines, '', `${fence}text`, quote, fence].join('\n');
}

async function readConversationParticipantNames(tx: Tx, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await tx.query<{ id: number; full_name: string }>(
    'SELECT id, full_name FROM users WHERE id = ANY($1)',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.full_name]));
}
