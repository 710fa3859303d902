import { QueueUsageError } from '../queue-usage-error.js';

/**
 * Recipients of an event log entry, which are fixed when the entry is written. An audience is either all event queues,
 * or the queues of given users and the queues with given roles. An empty audience has no recipients. User ids are
 * integers, or texts such as UUIDs. Roles are names that the app assigns to queues at registration (`moderators`,
 * `public-messages`).
 */
export type Audience = { all: true } | { users?: readonly UserId[] | AudienceUserIds; roles?: readonly string[] };

/**
 * Id of a user: an integer from 0 to 2^32 - 1, or a text of 1 to 100 letters, digits and `._:@+-`. An integer and its
 * decimal text without leading zeros are the same user id.
 */
export type UserId = number | string;

/** User ids that are the audience of many event log entries. The text form of the ids is created only once. */
export class AudienceUserIds {
  #encodedIds: string | undefined;

  /** @param ids unique and in ascending order; must not be changed afterwards */
  constructor(readonly ids: Uint32Array) {}

  /** Text form of the user ids, in the format in which an audience is stored. */
  get encodedIds(): string {
    return (this.#encodedIds ??= encodeUserIds(this.ids));
  }
}

/** Audience (recipients) of an event log entry, parsed so that membership can be checked fast. */
export interface ParsedAudience {
  readonly all: boolean;
  /** Integer user ids of the audience, in ascending order. */
  readonly users: Uint32Array;
  /** User ids of the audience that are texts. */
  readonly userTexts: readonly string[];
  readonly roles: readonly string[];
}

const NO_USER_IDS = new Uint32Array(0);
const NO_TEXTS: readonly string[] = [];
const ROLE_PATTERN = /^[A-Za-z0-9._-]{1,100}$/;
const USER_TEXT_PATTERN = /^[A-Za-z0-9._:@+-]{1,100}$/;
const INTEGER_PATTERN = /^(?:0|[1-9]\d{0,9})$/;
/**
 * Character that precedes a user id in the list of roles in an audience's text form. Roles never contain this
 * character.
 */
const USER_TEXT_MARK = '@';
const MAX_AUDIENCE_USER_ID = 0xffff_ffff;

/**
 * Returns the user id of an event queue's owner. Returns null if the owner is not a valid user id, so that no audience
 * can contain the owner.
 */
export function userIdOfOwner(owner: string): UserId | null {
  if (INTEGER_PATTERN.test(owner) && Number(owner) <= MAX_AUDIENCE_USER_ID) return Number(owner);
  return USER_TEXT_PATTERN.test(owner) ? owner : null;
}

/**
 * Returns the text form of an audience: `*` for all, or `role,role|` followed by the integer user ids as base64 of
 * LEB128 differences. Many adjacent ids take about 1.3 bytes per id. User ids that are texts follow the roles in the
 * form `@id`.
 *
 * @throws QueueUsageError for an invalid user id or role
 */
export function encodeAudience(audience: Audience): string {
  if ('all' in audience) return '*';
  const roles = audience.roles ?? [];
  for (const role of roles)
    if (!ROLE_PATTERN.test(role)) throw new QueueUsageError(`Audience role ${JSON.stringify(role)} is invalid`);
  const users = audience.users ?? [];
  if (users instanceof AudienceUserIds) return `${roles.join(',')}|${users.encodedIds}`;
  const integers: number[] = [];
  const texts = new Set<string>();
  for (const user of users) {
    const id = typeof user === 'string' ? userIdOfOwner(user) : user;
    if (id === null) throw new QueueUsageError(`Audience user ${JSON.stringify(user)} is not a user id`);
    if (typeof id === 'string') texts.add(USER_TEXT_MARK + id);
    else integers.push(id);
  }
  return `${[...roles, ...texts].join(',')}|${encodeUserIds(Float64Array.from(integers).sort())}`;
}

/** @param users in ascending order */
function encodeUserIds(users: Float64Array | Uint32Array): string {
  const bytes: number[] = [];
  let previous = -1;
  for (const user of users) {
    if (!Number.isInteger(user) || user < 0 || user > MAX_AUDIENCE_USER_ID)
      throw new QueueUsageError(`Audience user ${user} is not a user id`);
    if (user !== previous) appendVarint(bytes, user - Math.max(previous, 0));
    previous = user;
  }
  return Buffer.from(bytes).toString('base64');
}

function appendVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

const AUDIENCE_OF_ALL_USERS: ParsedAudience = { all: true, users: NO_USER_IDS, userTexts: [], roles: [] };

/**
 * Cache of parsed audiences by their stored text, because many entries of a log have the same audience. The cache is cleared when it
 * is full, and long texts are not cached.
 */
const parsedAudienceCache = new Map<string, ParsedAudience>();
const MAX_CACHED_AUDIENCES = 1_000;
const MAX_CACHED_AUDIENCE_LENGTH = 1_000;

/** Parses the text of an audience that {@link encodeAudience} has created. Equal texts may return the same object. */
export function parseCachedAudience(text: string): ParsedAudience {
  if (text === '*') return AUDIENCE_OF_ALL_USERS;
  if (text.length > MAX_CACHED_AUDIENCE_LENGTH) return parseAudienceText(text);
  const before = parsedAudienceCache.get(text);
  if (before) return before;
  if (parsedAudienceCache.size >= MAX_CACHED_AUDIENCES) parsedAudienceCache.clear();
  const audience = parseAudienceText(text);
  // Copies the text, because a substring would keep the complete parent string in memory.
  parsedAudienceCache.set(Buffer.from(text).toString(), audience);
  return audience;
}

function parseAudienceText(text: string): ParsedAudience {
  const bar = text.indexOf('|');
  // Copies the roles, because a substring would keep the complete text of the entry in memory.
  const names = bar > 0 ? Buffer.from(text.slice(0, bar)).toString().split(',') : [];
  const hasTextProperties = names.some((name) => name.startsWith(USER_TEXT_MARK));
  const roles = hasTextProperties ? names.filter((name) => !name.startsWith(USER_TEXT_MARK)) : names;
  const userTexts = hasTextProperties
    ? names.flatMap((name) => (name.startsWith(USER_TEXT_MARK) ? [name.slice(USER_TEXT_MARK.length)] : []))
    : NO_TEXTS;
  if (bar === text.length - 1) return { all: false, users: NO_USER_IDS, userTexts, roles };
  const bytes = Buffer.from(text.slice(bar + 1), 'base64');
  const users = new Uint32Array(bytes.length);
  let count = 0;
  let user = 0;
  for (let index = 0; index < bytes.length;) {
    let byte = 0;
    let factor = 1;
    do {
      byte = bytes[index++] ?? 0;
      user += (byte & 0x7f) * factor;
      factor *= 0x80;
    } while (byte >= 0x80);
    users[count++] = user;
  }
  return { all: false, users: users.slice(0, count), userTexts, roles };
}

/**
 * Returns true if the audience includes an event queue of `user` with `roles`. For a queue without a user, `user` is
 * null.
 */
export function isInAudience(audience: ParsedAudience, user: UserId | null, roles: readonly string[]): boolean {
  if (audience.all) return true;
  if (typeof user === 'number' && containsUserId(audience.users, user)) return true;
  if (typeof user === 'string' && audience.userTexts.includes(user)) return true;
  return audience.roles.length > 0 && audience.roles.some((role) => roles.includes(role));
}

function containsUserId(users: Uint32Array, user: number): boolean {
  let low = 0;
  let high = users.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const value = users[middle] ?? 0;
    if (value === user) return true;
    if (value < user) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
