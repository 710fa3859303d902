import { createHash } from 'node:crypto';
import type { PepperedSecretDigester } from '@switchboard/auth';
import { ApplicationError } from '@switchboard/errors';
import type { Logger } from '@switchboard/platform';
import type { FaultPointListener } from '@switchboard/queue';
import type { ChatConfig } from '../../config.js';
import { createPepperFromConfig, type PepperEnvironmentVariables } from '../../infra/key-ring.js';
import {
  getChannelDestination,
  internalClientName,
  type SendMessage,
  truncateMessageContent,
} from '../../core/messages/index.js';
import { serverLimitSnapshotFields } from '../../core/realms/index.js';
import {
  findReasonToIgnoreMail,
  isForwardedSubject,
  isMailInDeliveryLoop,
  type IncomingMailHandler,
  parseMail,
  type ParsedMail,
  type ReceivedMail,
  SmtpRejectionReply,
  createTemporaryFailureReply,
  extractMailText,
  convertMailSubjectToTopic,
} from '../../infra/incoming-mail/index.js';
import type { RateLimiter } from '../../infra/rate-limits/index.js';
import type { UploadFile } from '../uploads/index.js';
import {
  type ParsedChannelEmailAddress,
  formatChannelAddressId,
  hasValidChannelEmailDigest,
  parseChannelEmailAddress,
} from './channel-email-address.js';
import {
  type ChannelEmailAddressAccounts,
  findChannelEmailAddressAccounts,
  recordDeliveredMail,
  wasMailDelivered,
} from './delivered-channel-mail.repository.js';
import type { ChannelMailOutcomeCounter } from './channel-mail-counts.js';
import { type MailRefusalNotificationDependencies, notifyOfRefusedMail } from './notify-mail-refusal.js';
import { storeMailAttachments } from './store-mail-attachments.js';

/** Objects and values that {@link DeliverChannelMail} receives from its caller. */
export interface DeliverChannelMailDependencies extends MailRefusalNotificationDependencies {
  readonly config: PepperEnvironmentVariables & Pick<ChatConfig, 'MAIL_FROM' | 'INCOMING_MAIL_PARSE_MS'>;
  readonly sendMessage: Pick<SendMessage, 'run'>;
  readonly uploadFile: Pick<UploadFile, 'store'>;
  readonly limiter: RateLimiter;
  readonly counts: ChannelMailOutcomeCounter;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly faultPoint?: FaultPointListener | undefined;
}

/** Thrown in the transaction that posts a message if the message's email was already delivered. */
class MailAlreadyDeliveredError extends Error {}

const createUnknownAddressReply = () => new SmtpRejectionReply(550, 'No such channel address');

/**
 * Posts emails that were sent to the addresses of channels as messages (docs/contract/chat.md 2.E). The SMTP server
 * confirms an email when its message is committed. The same transaction records the email, so that a repeated email
 * creates no second message.
 */
export class DeliverChannelMail implements IncomingMailHandler {
  readonly #pepper: PepperedSecretDigester;

  constructor(private readonly parts: DeliverChannelMailDependencies) {
    this.#pepper = createPepperFromConfig(parts.config);
  }

  /**
   * Checks that a recipient's address belongs to a channel that accepts mail.
   *
   * @throws SmtpRejectionReply for an unknown or unusable address, and above the rate limit of the organization
   */
  async checkRecipient(text: string): Promise<void> {
    const { limiter, counts } = this.parts;
    try {
      const { accounts } = await this.#find(text);
      const counted = await limiter.countRequestAgainstLimit('CHANNEL_MAIL_BY_REALM', String(accounts.realmId));
      if (counted !== null && counted.waitMs > 0) {
        throw new SmtpRejectionReply(450, 'Too many mails to this organization, try again later');
      }
    } catch (error) {
      const reply = this.#replyForError(error);
      counts.countMailOutcome(reply.responseCode < 500 ? 'deferred' : 'refused');
      throw reply;
    }
  }

  /**
   * Delivers a received mail to its recipients.
   *
   * @throws SmtpRejectionReply if no recipient accepts the mail, or if a recipient may accept the mail later
   */
  async receive({ from, recipients, raw }: ReceivedMail): Promise<void> {
    const { config, counts, logger } = this.parts;
    const contentDigest = createHash('sha256').update(raw).digest('hex');
    try {
      const mail = await parseMail(raw, config.INCOMING_MAIL_PARSE_MS);
      if (isMailInDeliveryLoop(mail)) throw new SmtpRejectionReply(554, 'The mail is in a loop');
      const reason = findReasonToIgnoreMail(mail, from, parseMailboxAddress(config.MAIL_FROM));
      if (reason !== null) {
        logger.info({ reason }, 'an incoming mail became no message');
        counts.countMailOutcome('ignored');
        return;
      }
      await this.#deliverToAll(recipients, mail, createMailIdentityText(mail) ?? contentDigest);
    } catch (error) {
      const reply = this.#replyForError(error);
      counts.countMailOutcome(reply.responseCode < 500 ? 'deferred' : 'refused');
      throw reply;
    }
  }

  /**
   * Delivers an email to its recipients one after another. SMTP has one reply for all recipients of an email. If only
   * some recipients refuse the email, the server still confirms it, and users of the organization are notified of the
   * refusals. If the delivery to a recipient fails temporarily, the SMTP client sends the email again. The repetition
   * has no effect on recipients that already have the email.
   */
  async #deliverToAll(recipients: readonly string[], mail: ParsedMail, identity: string): Promise<void> {
    const refusals: { readonly recipient: string; readonly reply: SmtpRejectionReply }[] = [];
    for (const recipient of recipients) {
      try {
        const isNew = await this.#deliverToChannel(recipient, mail, identity);
        this.parts.counts.countMailOutcome(isNew ? 'posted' : 'repeated');
      } catch (error) {
        refusals.push({ recipient, reply: this.#replyForError(error) });
      }
    }
    const temporary = refusals.find(({ reply }) => reply.responseCode < 500);
    if (temporary !== undefined) throw temporary.reply;
    const [refused] = refusals;
    if (refused !== undefined && refusals.length === recipients.length) throw refused.reply;
    for (const { recipient, reply } of refusals) {
      await this.#notifyOfRefusal(recipient, reply, mail, identity);
      this.parts.counts.countMailOutcome('refused');
    }
  }

  async #notifyOfRefusal(
    recipient: string,
    reply: SmtpRejectionReply,
    { from, subject }: ParsedMail,
    identity: string,
  ): Promise<void> {
    const address = parseChannelEmailAddress(recipient);
    if (address === null) return;
    const reason = reply.cause instanceof ApplicationError ? reply.cause.message : reply.message;
    const digest = createHash('sha256')
      .update(`refused:${formatChannelAddressId(address)}\n${identity}`)
      .digest('hex');
    await notifyOfRefusedMail(this.parts, {
      recipient,
      creatorId: address.creatorId,
      from,
      subject,
      reason,
      digest,
    });
  }

  /** Posts an email to one channel. Returns false if the email was already posted to this channel. */
  async #deliverToChannel(recipient: string, mail: ParsedMail, identity: string): Promise<boolean> {
    const { database, sendMessage, uploadFile, faultPoint } = this.parts;
    const { address, accounts, topicsPolicy } = await this.#find(recipient);
    const digest = createHash('sha256')
      .update(`${accounts.realmId}:${formatChannelAddressId(address)}\n${identity}`)
      .digest('hex');
    if (await wasMailDelivered(database, digest)) return false;
    const files = await storeMailAttachments(uploadFile, accounts.sender, mail);
    const parameters = {
      type: 'channel' as const,
      to: JSON.stringify(address.channelId),
      topic: topicsPolicy === 'empty_topic_only' ? '' : convertMailSubjectToTopic(mail.subject),
      content: createMailMessageContent(mail, address, files),
    };
    try {
      await sendMessage.run(accounts.sender, parameters, { client: internalClientName }, async (tx) => {
        if (!(await recordDeliveredMail(tx, digest))) throw new MailAlreadyDeliveredError();
      });
    } catch (error) {
      if (error instanceof MailAlreadyDeliveredError) return false;
      throw error;
    }
    faultPoint?.('channel-mail.after-commit');
    return true;
  }

  /**
   * Loads the accounts to which a channel's email address refers. Checks that emails to this address may currently be
   * posted.
   *
   * @throws SmtpRejectionReply for an unknown address; ApplicationError if the sender may not post to the channel
   */
  async #find(
    text: string,
  ): Promise<{ address: ParsedChannelEmailAddress; accounts: ChannelEmailAddressAccounts; topicsPolicy: string }> {
    const address = parseChannelEmailAddress(text);
    if (address === null) throw createUnknownAddressReply();
    const accounts = await findChannelEmailAddressAccounts(this.parts.database, address);
    if (accounts === null || !hasValidChannelEmailDigest(this.#pepper, accounts.realmId, address))
      throw createUnknownAddressReply();
    const actor = accounts.isSystemSender ? accounts.creator : accounts.sender;
    const { topicsPolicy } = await getChannelDestination(this.parts.database, actor, { id: address.channelId });
    return { address, accounts, topicsPolicy };
  }

  /**
   * Returns the SMTP reply for an error during the delivery of an email. API errors cause a general refusal, and
   * unexpected errors cause a temporary failure.
   */
  #replyForError(error: unknown): SmtpRejectionReply {
    if (error instanceof SmtpRejectionReply) return error;
    if (error instanceof ApplicationError && error.status < 500) {
      this.parts.logger.info({ reason: error.message }, 'an incoming mail was refused');
      return new SmtpRejectionReply(550, 'The mail cannot be posted to this channel', { cause: error });
    }
    this.parts.logger.warn({ err: error }, 'an incoming mail was not processed');
    return createTemporaryFailureReply(error);
  }
}

/**
 * Returns the text whose digest identifies repetitions of an email; null for an email without a Message-ID. The text
 * contains more than the Message-ID, because senders choose these ids. An email with the Message-ID of another email
 * must not suppress the other email.
 */
function createMailIdentityText({ messageId, from, subject, text, html, attachments }: ParsedMail): string | null {
  if (messageId === null) return null;
  const files = attachments.map(({ name, content }) => [name, createHash('sha256').update(content).digest('hex')]);
  return JSON.stringify([messageId, from, subject, text, html, files]);
}

/**
 * Returns the content of the message that an email creates: the sender, the text of the email, and links to the
 * attached files. A text that is too long is shortened.
 */
function createMailMessageContent(mail: ParsedMail, address: ParsedChannelEmailAddress, files: string): string {
  const includeQuotes = address.includeQuotes || isForwardedSubject(mail.subject);
  const from = mail.from
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, 500)
    .toWellFormed();
  const preamble = address.showSender ? `From: ${from}\n` : '';
  const postamble = files === '' ? '' : `\n${files}`;
  const body = extractMailText(mail, { ...address, includeQuotes });
  const space = serverLimitSnapshotFields.max_message_length - [...preamble, ...postamble].length;
  return `${preamble}${truncateMessageContent(body, space)}${postamble}`;
}

/** Returns the email address in a mailbox text such as `Chat <chat@example.com>`. */
function parseMailboxAddress(mailbox: string): string {
  return /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim();
}
