import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { ChannelChangeWithAudiences, LockedChannel } from '../../core/channels/index.js';

/** Map from the names of system groups to wording for use in a sentence. */
const systemGroupDescriptions: Readonly<Record<string, string>> = {
  'role:internet': 'everybody on the internet',
  'role:everyone': 'everybody',
  'role:members': 'everybody but guests',
  'role:fullmembers': 'full members',
  'role:moderators': 'moderators',
  'role:administrators': 'administrators',
  'role:owners': 'owners',
  'role:nobody': 'nobody',
};

/**
 * Returns one Markdown sentence per changed property about which the channel's subscribers are notified.
 *
 * @param who Markdown mention of the user who made the change
 * @param change The channel before the change, and the written values.
 */
export async function createChannelChangeSentences(
  tx: SqlQueryRunner,
  who: string,
  change: ChannelChangeWithAudiences,
): Promise<string[]> {
  const { channel, columns } = change;
  const now: LockedChannel = { ...channel, ...columns };
  const texts: string[] = [];
  if ('name' in columns) {
    texts.push(
      `${who} renamed this channel from **${removeAsterisksFromName(channel.name)}** to **${removeAsterisksFromName(now.name)}**.`,
    );
  }
  if ('description' in columns) {
    const parts = [
      formatMarkdownQuoteBlock('Before', channel.description),
      formatMarkdownQuoteBlock('Now', now.description),
    ];
    texts.push([`${who} changed the description of this channel.`, ...parts].join('\n\n'));
  }
  if (formatPrivacy(now) !== formatPrivacy(channel)) {
    texts.push(`${who} made this channel **${formatPrivacy(now)}**; it was **${formatPrivacy(channel)}**.`);
  }
  if ('can_send_message_group_id' in columns) texts.push(await getPostingPermissionText(tx, who, change));
  if ('message_retention_days' in columns) {
    const [before, after] = [channel, now].map((one) => formatRetention(one.message_retention_days));
    texts.push(`${who} changed how long messages are kept in this channel: **${after}**, no longer **${before}**.`);
  }
  if (columns['is_archived'] === false) texts.push(`${who} brought this channel back from the archive.`);
  return texts;
}

/** Removes asterisks from a name, so that Markdown cannot interpret the name as a mention. */
export function removeAsterisksFromName(name: string): string {
  return name.replaceAll('*', '');
}

/**
 * Returns a Markdown quote block with a title and a text. The fence of the block is longer than any fence in the text,
 * so that the text cannot close the block.
 */
function formatMarkdownQuoteBlock(title: string, text: string): string {
  if (text === '') return `**${title}:** none`;
  const longest = Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `**${title}:**\n\n${fence}quote\n${text}\n${fence}`;
}

function formatPrivacy(channel: LockedChannel): string {
  if (channel.is_web_public) return 'public to the web';
  if (!channel.is_private) return 'public';
  return `private, with ${channel.history_public_to_subscribers ? 'shared' : 'protected'} history`;
}

function formatRetention(days: number | null): string {
  if (days === null) return 'as long as the organization keeps them';
  if (days === -1) return 'for ever';
  return days === 1 ? 'for one day' : `for ${days} days`;
}

async function getPostingPermissionText(
  tx: SqlQueryRunner,
  who: string,
  { channel, columns }: ChannelChangeWithAudiences,
): Promise<string> {
  const [before, after] = [channel.can_send_message_group_id, Number(columns['can_send_message_group_id'])];
  const { rows } = await tx.query<{ id: number; name: string | null }>(
    'SELECT id, name FROM user_groups WHERE id = ANY($1)',
    [[before, after]],
  );
  const names = new Map(rows.map((row) => [row.id, row.name]));
  const [old, now] = [before, after].map((id) => formatUserGroupName(names.get(id) ?? null));
  return `${who} changed who may post in this channel: **${now}**, no longer **${old}**.`;
}

/**
 * Returns the name of a user group for use in a sentence. Returns a description for anonymous groups, which have no
 * name.
 */
function formatUserGroupName(name: string | null): string {
  return name === null ? 'people who were named' : (systemGroupDescriptions[name] ?? removeAsterisksFromName(name));
}
