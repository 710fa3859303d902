import type { MentionCandidate } from './mentions.js';

/** Whom the names in a message turned out to be, as the database knows them. */
export interface ResolvedNames {
  /** By full name, and by id as text where the mention gave one. */
  readonly users: ReadonlyMap<string, { readonly id: number; readonly fullName: string }>;
  /** By name. */
  readonly groups: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
}

/** Names that need no database. */
export const noNames: ResolvedNames = { users: new Map(), groups: new Map() };

/** Who a message calls upon; silent mentions call upon nobody. */
export interface Mentioned {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly channelWildcard: boolean;
  readonly topicWildcard: boolean;
}

interface Shape {
  readonly attributes: [string, string][];
  readonly text: string;
}

/** Gives every mention its final form: the one that names somebody becomes a span, any other stays the text it was. */
export function applyMentions(candidates: readonly MentionCandidate[], names: ResolvedNames): Mentioned {
  const userIds = new Set<number>();
  const groupIds = new Set<number>();
  let channelWildcard = false;
  let topicWildcard = false;
  for (const candidate of candidates) {
    const shape = shapeOf(candidate, names);
    write(candidate, shape);
    if (shape === undefined || candidate.silent) continue;
    const { target } = candidate;
    if (target.kind === 'channel_wildcard') channelWildcard = true;
    if (target.kind === 'topic_wildcard') topicWildcard = true;
    const userId = target.kind === 'user' ? findUser(target, names)?.id : undefined;
    if (userId !== undefined) userIds.add(userId);
    const groupId = target.kind === 'group' ? names.groups.get(target.name)?.id : undefined;
    if (groupId !== undefined) groupIds.add(groupId);
  }
  return { userIds: [...userIds], groupIds: [...groupIds], channelWildcard, topicWildcard };
}

function shapeOf(candidate: MentionCandidate, names: ResolvedNames): Shape | undefined {
  const { target, silent } = candidate;
  const mark = silent ? '' : '@';
  const className = (base: string): [string, string] => ['class', silent ? `${base} silent` : base];
  switch (target.kind) {
    case 'channel_wildcard':
      return {
        attributes: [className('user-mention channel-wildcard-mention'), ['data-user-id', '*']],
        text: `${mark}${target.name}`,
      };
    case 'topic_wildcard':
      return { attributes: [className('topic-mention')], text: `${mark}${target.name}` };
    case 'group': {
      const group = names.groups.get(target.name);
      return group && groupShape(className, group, mark);
    }
    case 'user': {
      const user = findUser(target, names);
      return user && userShape(className, user, mark);
    }
  }
}

type ClassName = (base: string) => [string, string];

function groupShape(className: ClassName, group: { id: number; name: string }, mark: string): Shape {
  return {
    attributes: [className('user-group-mention'), ['data-user-group-id', String(group.id)]],
    text: `${mark}${group.name}`,
  };
}

function userShape(className: ClassName, user: { id: number; fullName: string }, mark: string): Shape {
  return {
    attributes: [className('user-mention'), ['data-user-id', String(user.id)]],
    text: `${mark}${user.fullName}`,
  };
}

/** A mention with an id names that account, provided that the name beside it is its own or is left out. */
function findUser(
  target: { readonly name: string; readonly userId: number | undefined },
  names: ResolvedNames,
): { readonly id: number; readonly fullName: string } | undefined {
  if (target.userId === undefined) return names.users.get(target.name);
  const user = names.users.get(`|${target.userId}`);
  return user !== undefined && (target.name === '' || target.name === user.fullName) ? user : undefined;
}

/** Sets everything it may have set before: a transaction that runs again renders again. */
function write({ tokens, source }: MentionCandidate, shape: Shape | undefined): void {
  tokens.open.attrs = shape?.attributes ?? null;
  tokens.text.content = shape?.text ?? source;
  for (const end of [tokens.open, tokens.close]) end.hidden = shape === undefined;
}
