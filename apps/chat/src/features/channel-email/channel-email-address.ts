import type { PepperedSecretDigester } from '@switchboard/auth';
import { areTextsEqualInConstantTime } from '@switchboard/auth';

/**
 * Number of hexadecimal digits of the digest in a channel's email address. The digest has 80 bits, because the part
 * before the @ has no space for more.
 */
const channelAddressDigestLength = 20;

/** Maximum length, in characters, of the channel name in a channel's email address. */
const maxAddressChannelNameLength = 20;

/** Maximum value of an id in the database. */
const maxDatabaseId = 2_147_483_647;

/**
 * Ids that the email address of a channel contains: of the channel, of the creator of the address, and of the sender.
 */
export interface ChannelAddressIds {
  readonly channelId: number;
  /** User id of the user for whom the channel's email address was created. */
  readonly creatorId: number;
  /** User id of the sender of messages that emails to this address create. */
  readonly senderId: number;
}

/** Options that the email address of a channel may contain, each true if present. */
interface ChannelAddressOptions {
  readonly showSender: boolean;
  readonly includeQuotes: boolean;
  readonly includeFooter: boolean;
  readonly prefersHtml: boolean;
}

/** The parts of a channel's email address. The digest in the address has not been checked. */
export interface ParsedChannelEmailAddress extends ChannelAddressIds, ChannelAddressOptions {
  readonly digest: string;
}

const channelAddressOptionNames: ReadonlySet<string> = new Set([
  'show-sender',
  'include-quotes',
  'include-footer',
  'prefer-html',
  'prefer-text',
]);

/**
 * Returns the part before the @ of the email address of a channel. A digest in the address makes the address
 * unguessable.
 */
export function createChannelEmailLocalPart(
  pepper: PepperedSecretDigester,
  realmId: number,
  channelName: string,
  ids: ChannelAddressIds,
): string {
  const { digest } = pepper.digestUnderCurrentPepper(createChannelAddressDigestInput(realmId, ids));
  const token = `${formatChannelAddressId(ids)}-${digest.slice(0, channelAddressDigestLength)}`;
  const name = encodeChannelNameForEmail(channelName);
  return [...(name === '' ? [] : [name]), token, 'show-sender'].join('.');
}

/**
 * Parses the email address of a channel: an optional name, the token, and options, separated by `.` or `+`. The domain
 * is ignored. Returns null for an address that does not have this form.
 */
export function parseChannelEmailAddress(address: string): ParsedChannelEmailAddress | null {
  const mailbox = address.slice(0, Math.max(0, address.lastIndexOf('@'))).toLowerCase();
  const parts = mailbox.split(/[.+]/);
  const token = parts.filter((part) => !channelAddressOptionNames.has(part)).at(-1) ?? '';
  const [, channel = '', creator = '', sender = '', digest = ''] =
    /^([0-9a-z]{1,6})-([0-9a-z]{1,6})-([0-9a-z]{1,6})-([0-9a-f]{20})$/.exec(token) ?? [];
  const [channelId = 0, creatorId = 0, senderId = 0] = [channel, creator, sender].map((id) => Number.parseInt(id, 36));
  if (digest === '' || [channelId, creatorId, senderId].some((id) => id > maxDatabaseId)) return null;
  return {
    channelId,
    creatorId,
    senderId,
    digest,
    showSender: parts.includes('show-sender'),
    includeQuotes: parts.includes('include-quotes'),
    includeFooter: parts.includes('include-footer'),
    prefersHtml: parts.includes('prefer-html'),
  };
}

/**
 * Returns true if the digest in a channel's email address is valid in the given realm for one of the configured
 * peppers.
 */
export function hasValidChannelEmailDigest(
  pepper: PepperedSecretDigester,
  realmId: number,
  address: ParsedChannelEmailAddress,
): boolean {
  const digests = pepper.digestUnderAllPeppers(createChannelAddressDigestInput(realmId, address));
  return digests.some(({ digest }) =>
    areTextsEqualInConstantTime(digest.slice(0, channelAddressDigestLength), address.digest),
  );
}

function createChannelAddressDigestInput(realmId: number, ids: ChannelAddressIds): string {
  return `channel-email:${realmId}:${formatChannelAddressId(ids)}`;
}

/**
 * Returns the ids in a channel's email address as text. The digest in the address is computed from this text, and does
 * not depend on the options.
 */
export function formatChannelAddressId({ channelId, creatorId, senderId }: ChannelAddressIds): string {
  return [channelId, creatorId, senderId].map((id) => id.toString(36)).join('-');
}

/**
 * Returns a channel's name in the form that its email address contains. The form has no characters that mail programs
 * may misinterpret.
 */
function encodeChannelNameForEmail(channel: string): string {
  const words = channel.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, maxAddressChannelNameLength);
}
