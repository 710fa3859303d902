import type {
  MentionReference,
  UnresolvedReference,
  ChannelLinkReference,
  ResolvedMessageReferences,
} from '../../../infra/markdown/index.js';
import { emptyResolvedMessageReferences, createTopicKey } from '../../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';

/** Imported objects that the messages of an archive may mention. */
export interface MentionableObjectsByName {
  /** Ids of the imported users by full name. Names that several users share are absent. */
  readonly usersByName: ReadonlyMap<string, number>;
  readonly userNames: ReadonlyMap<number, string>;
  /** Ids of the imported named groups, by group name. */
  readonly groups: ReadonlyMap<string, number>;
  readonly groupIds: ReadonlySet<number>;
  /** Ids and names of the imported channels that are not private, by normalized channel name. */
  readonly publicChannels: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  readonly channelIds: ReadonlySet<number>;
}

const userMentionPattern = /<span class="user-mention(?: silent)?" data-user-id="(\d{1,10})">@?([^<]{1,400})<\/span>/g;
const groupMentionPattern =
  /<span class="user-group-mention(?: silent)?" data-user-group-id="(\d{1,10})">@?([^<]{1,400})<\/span>/g;
const channelLinkPattern =
  /<a class="stream(?:-topic)?" data-stream-id="(\d{1,10})" href="([^"]{1,2000})">#([^<]{1,400})</g;
const messageLinkPattern =
  /<a class="message-link" href="(\/#narrow\/(?:channel|stream)\/(\d{1,10})-[^"]{0,2000})">#([^<]{1,400})</g;

/**
 * Resolves the names in an archived message to objects. Users and channels may have been renamed later, so the link in
 * the archived HTML determines the object of a name. A name without a link is resolved by the current names. Private
 * channels are excluded, because the author may not have been able to see them.
 */
export function resolveNamesInArchivedMessage(
  candidates: readonly UnresolvedReference[],
  html: string | null,
  objects: MentionableObjectsByName,
): Pick<ResolvedMessageReferences, 'users' | 'groups' | 'channels' | 'topics'> {
  if (candidates.length === 0) return emptyResolvedMessageReferences;
  const users = new Map<string, { id: number; fullName: string }>();
  const groups = new Map<string, { id: number; name: string }>();
  const channels = new Map<string, { id: number; name: string }>();
  const topics = new Map<string, { messageId: number }>();
  for (const candidate of candidates) {
    if (candidate.kind === 'user') addMentionedUser(users, candidate, objects);
    if (candidate.kind === 'group') addMentionedUserGroup(groups, candidate, objects);
    if (candidate.kind === 'channel') addMentionedChannel(channels, candidate, objects);
  }
  for (const [, id, name = ''] of (html ?? '').matchAll(userMentionPattern)) {
    const user = { id: Number(id), fullName: unescapeHtml(name) };
    if (!objects.userNames.has(user.id)) continue;
    users.set(user.fullName, user).set(`|${user.id}`, user);
  }
  for (const [, id, name = ''] of (html ?? '').matchAll(groupMentionPattern)) {
    const group = { id: Number(id), name: unescapeHtml(name) };
    if (objects.groupIds.has(group.id)) groups.set(group.name, group);
  }
  const links = [
    ...[...(html ?? '').matchAll(channelLinkPattern)].map(([, id, href = '', text = '']) => ({ id, href, text })),
    ...[...(html ?? '').matchAll(messageLinkPattern)].map(([, href = '', id, text = '']) => ({ id, href, text })),
  ];
  for (const { id: idText, href, text } of links) {
    const id = Number(idText);
    if (objects.channelIds.has(id))
      addLinkedChannelAndMessage({ channels, topics }, { id, href, text: unescapeHtml(text) }, candidates);
  }
  return { users, groups, channels, topics };
}

function addMentionedUser(
  users: Map<string, { id: number; fullName: string }>,
  candidate: MentionReference,
  objects: MentionableObjectsByName,
) {
  const id = candidate.userId ?? objects.usersByName.get(candidate.name);
  const fullName = id === undefined ? undefined : objects.userNames.get(id);
  if (id === undefined || fullName === undefined) return;
  users.set(candidate.userId === undefined ? candidate.name : `|${id}`, { id, fullName });
}

function addMentionedUserGroup(
  groups: Map<string, { id: number; name: string }>,
  { name }: MentionReference,
  objects: MentionableObjectsByName,
) {
  const id = objects.groups.get(name);
  if (id !== undefined) groups.set(name, { id, name });
}

function addMentionedChannel(
  channels: Map<string, { id: number; name: string }>,
  candidate: ChannelLinkReference,
  objects: MentionableObjectsByName,
): void {
  const channel = objects.publicChannels.get(normalizeTextForComparison(candidate.channel));
  if (channel !== undefined) channels.set(normalizeTextForComparison(candidate.channel), channel);
}

/**
 * Adds a linked channel to the resolved channels. For a link to a topic, adds the message that represents the topic to
 * the resolved topics.
 */
function addLinkedChannelAndMessage(
  {
    channels,
    topics,
  }: { channels: Map<string, { id: number; name: string }>; topics: Map<string, { messageId: number }> },
  link: { readonly id: number; readonly href: string; readonly text: string },
  candidates: readonly UnresolvedReference[],
): void {
  const messageId = /\/with\/(\d{1,15})$/.exec(link.href)?.[1];
  for (const candidate of candidates) {
    if (candidate.kind !== 'channel') continue;
    const isLinked = link.text === candidate.channel || link.text.startsWith(`${candidate.channel} > `);
    if (!isLinked) continue;
    channels.set(normalizeTextForComparison(candidate.channel), { id: link.id, name: candidate.channel });
    const names = candidate.topic !== null && link.text === `${candidate.channel} > ${candidate.topic}`;
    if (names && messageId !== undefined) {
      topics.set(createTopicKey(link.id, normalizeTextForComparison(candidate.topic)), {
        messageId: Number(messageId),
      });
    }
  }
}

const htmlEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
};

function unescapeHtml(html: string): string {
  return html.replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (_entity, name: string) => htmlEntities[name] ?? '');
}
