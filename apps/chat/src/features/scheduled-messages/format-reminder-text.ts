import { serverLimitSnapshotFields } from '../../core/realms/index.js';
import type { MessageRecord } from '../../core/messages/index.js';

const reminderTruncationMark = '\n[message truncated]';

/** First sentence of a reminder about a message that was deleted or that the user can no longer read. */
export const missingMessageReminderHeading = 'You asked to be reminded of a message that is no longer available.';

/**
 * Returns the Markdown of a reminder: the user's note, a link to the message, and a quote of the message. A poll or
 * to-do list is mentioned without a quote. The quote is cut or omitted if the reminder would exceed the maximum length
 * of a message.
 *
 * @param message null if the user cannot read it
 */
export function createReminderText(message: MessageRecord | null, note: string | null): string {
  if (message === null)
    return note === null
      ? missingMessageReminderHeading
      : `${missingMessageReminderHeading}${formatReminderNote(note)}`;
  const kind = message.channel === null ? 'direct message' : 'message';
  const heading = `You asked to be reminded of this ${kind}.`;
  const noted = note === null ? '' : formatReminderNote(note);
  const widget = getWidgetName(message.content ?? '');
  const said = `${formatMessageMention(message.sender)} [${widget === null ? 'said' : 'sent'}](${createMessageUrl(message)})`;
  const place = formatConversationName(message);
  const intro = `${heading}${noted}\n\n`;
  if (widget !== null) return `${intro}${said} a ${widget} ${place}.`;
  return appendMessageQuote(`${intro}${said} ${place}`, message.content ?? '');
}

function formatReminderNote(note: string): string {
  return ` Note:\n${note.replaceAll(/^/gm, '> ')}`;
}

/**
 * Returns a text followed by a quote of a message. The fence of the quote block is longer than any fence in the
 * content, so that the content cannot close the block. A quote that exceeds the maximum message length is shortened or
 * omitted.
 */
function appendMessageQuote(text: string, content: string): string {
  const longest = Math.max(2, ...Array.from(content.matchAll(/[`~]+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const quote = (quoted: string): string => `${text}:\n${fence}quote\n${quoted}\n${fence}`;
  const points = [...content];
  const space = serverLimitSnapshotFields.max_message_length - [...quote('')].length;
  if (points.length <= space) return quote(content);
  if (space <= reminderTruncationMark.length) return `${text}.`;
  return quote(`${points.slice(0, space - reminderTruncationMark.length).join('')}${reminderTruncationMark}`);
}

function formatMessageMention({ fullName, id }: { readonly fullName: string; readonly id: number }): string {
  return `@_**${fullName}|${id}**`;
}

/** Returns the name of the widget that a message defines, such as a poll; null for other messages. */
function getWidgetName(content: string): string | null {
  const [, command] = /^\/(poll|todo)\b/.exec(content) ?? [];
  if (command === undefined) return null;
  return command === 'poll' ? 'poll' : 'to-do list';
}

/** Returns Markdown that names the conversation of a message: the channel and topic, or the recipients. */
function formatConversationName({ channel, topic, sender, participants }: MessageRecord): string {
  if (channel !== null) return `in #**${channel.name}>${topic}**`;
  const others = participants.filter(({ id }) => id !== sender.id);
  return `to ${(others.length === 0 ? [sender] : others).map(formatMessageMention).join(', ')}`;
}

/** Returns the URL path at which web clients show a message. */
function createMessageUrl({ id, channel, topic, participants }: MessageRecord): string {
  if (channel !== null) return `#narrow/channel/${channel.id}/topic/${encodeTopicForUrlFragment(topic)}/near/${id}`;
  const ids = participants.map((person) => person.id).toSorted((a, b) => a - b);
  return `#narrow/dm/${ids.join(',')}-dm/near/${id}`;
}

/**
 * Encodes a topic for the fragment of a URL, in the encoding of web clients: percent-encoding with dots instead of
 * percent signs.
 */
function encodeTopicForUrlFragment(topic: string): string {
  const encoded = encodeURIComponent(topic)
    .replaceAll('.', '%2E')
    .replaceAll(/[()!'*~]/g, percentEncodeCharacter);
  return encoded.replaceAll('%', '.');
}

function percentEncodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
