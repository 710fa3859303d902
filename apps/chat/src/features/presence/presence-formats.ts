import { z } from 'zod';
import { getDisplayedEmail, type EmailViewer } from '../../core/access/email-visibility.js';

/** Time without input after which a connected user counts as idle, in seconds (docs/contract/chat.md 2.A). */
const idleAfterSeconds = 70;

/** Time since a user's last ping after which the user is offline (docs/contract/chat.md 4.3), in seconds. */
export const offlineAfterSeconds = 200;

/**
 * Schema of a stored presence of a user. `active` and `connected` are the last times when the user was active and a
 * client was connected, in UNIX seconds; 0 for never.
 */
export const presenceRecordSchema = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
  active: z.int(),
  connected: z.int(),
});

export type PresenceRecord = z.infer<typeof presenceRecordSchema>;

const presenceStatusSchema = z.enum(['active', 'idle']);

/** Schema of a user's presence in lists whose keys are user ids (docs/contract/chat.md 2.A). */
export const modernPresenceSchema = z.strictObject({ active_timestamp: z.int(), idle_timestamp: z.int() });

const websitePresenceSchema = z.strictObject({
  client: z.literal('website'),
  status: presenceStatusSchema,
  timestamp: z.int(),
  pushable: z.literal(false),
});

/** Schema of a user's presence in the older format, which has one entry per client program. */
export const websiteOnlyPresenceSchema = z.strictObject({ website: websitePresenceSchema });

/** Schema of a user's presence in the older format of presence lists, whose keys are email addresses. */
export const legacyPresenceSchema = z.strictObject({
  aggregated: z.strictObject({ client: z.literal('website'), status: presenceStatusSchema, timestamp: z.int() }),
  website: websitePresenceSchema,
});

/**
 * Schema of an object with the presences of several users. The keys are user ids or, in the older format, email
 * addresses.
 */
export const presenceMapSchema = z.union([
  z.record(z.string(), modernPresenceSchema),
  z.record(z.string(), legacyPresenceSchema),
]);

/** Returns a user's presence in the newer format. */
export function toModernPresence({ active, connected }: PresenceRecord): z.infer<typeof modernPresenceSchema> {
  return { active_timestamp: active, idle_timestamp: connected };
}

/** Returns the presence status of a user, with the time that clients show next to the status. */
export function getPresenceStatus({ active, connected }: PresenceRecord): {
  status: 'active' | 'idle';
  timestamp: number;
} {
  const isActive = active > 0 && active >= connected - idleAfterSeconds;
  return isActive ? { status: 'active', timestamp: active } : { status: 'idle', timestamp: connected };
}

/**
 * Returns a user's presence in the older format, which has one entry per client program. The result has only the entry
 * `website`, for all clients.
 */
export function toWebsitePresence(presence: PresenceRecord): z.infer<typeof websiteOnlyPresenceSchema> {
  return { website: { client: 'website', ...getPresenceStatus(presence), pushable: false } };
}

/**
 * Format of a presence list that a client requests. The keys are user ids or, in the older format, the email addresses
 * that the viewer may see.
 */
export interface PresenceListFormat {
  readonly byId: boolean;
}

/** Returns the key and the value of a user's presence in a presence list. */
export function toPresenceEntry(
  presence: PresenceRecord,
  viewer: EmailViewer,
  { byId }: PresenceListFormat,
): [string, z.infer<typeof modernPresenceSchema> | z.infer<typeof legacyPresenceSchema>] {
  if (byId) return [String(presence.id), toModernPresence(presence)];
  const aggregated = { client: 'website' as const, ...getPresenceStatus(presence) };
  return [getDisplayedEmail(viewer, presence), { aggregated, ...toWebsitePresence(presence) }];
}

/** Returns an object with the presences of several users, in the list format that the client requests. */
export function toPresenceMap(
  presences: readonly PresenceRecord[],
  viewer: EmailViewer,
  form: PresenceListFormat,
): z.infer<typeof presenceMapSchema> {
  const entries = presences.map((presence) => toPresenceEntry(presence, viewer, form));
  return Object.fromEntries(entries) as z.infer<typeof presenceMapSchema>;
}
