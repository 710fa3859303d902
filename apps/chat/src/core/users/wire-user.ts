import { z } from 'zod';
import { isOwnerOrAdministrator, isGuest, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { createAvatarUrl } from '../access/avatar-url.js';
import {
  getDisplayedEmail,
  emailVisibilityValues,
  type EmailViewer,
  canViewerSeeEmail,
} from '../access/email-visibility.js';

/** Schema of a user's value of a custom profile field in the API (chat-2.1-19). */
export const customProfileValueSchema = z.strictObject({ value: z.string(), rendered_value: z.string().optional() });

/** Schema of a user in the API (chat-2.1). */
export const wireUserSchema = z
  .strictObject({
    user_id: z.int(),
    delivery_email: z.string().nullable(),
    email: z.string(),
    full_name: z.string(),
    date_joined: z.string(),
    is_active: z.boolean(),
    is_owner: z.boolean(),
    is_admin: z.boolean(),
    is_guest: z.boolean(),
    is_bot: z.boolean(),
    bot_type: z.int().nullable(),
    bot_owner_id: z.int().nullable().optional(),
    role: z.int(),
    timezone: z.string(),
    avatar_url: z.string().nullable().optional(),
    avatar_version: z.int(),
    is_imported_stub: z.boolean(),
    is_deleted: z.literal(true).optional(),
    is_system_bot: z.literal(true).optional(),
    profile_data: z.record(z.string(), customProfileValueSchema).optional().meta({
      description: 'Values by id of the custom profile field; for users other than bots, if the request asks for them.',
    }),
  })
  .meta({ id: 'User' });

export type WireUser = z.infer<typeof wireUserSchema>;

/**
 * An account as read from the database. `dateJoined` is in ISO 8601 format with its time zone.
 */
export interface UserRecord {
  readonly id: number;
  readonly deliveryEmail: string;
  readonly emailVisibility: number;
  readonly fullName: string;
  readonly dateJoined: string;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  readonly isImportedStub: boolean;
  readonly isSystemBot: boolean;
  readonly isBot: boolean;
  readonly botType: number | null;
  readonly botOwnerId: number | null;
  readonly role: number;
  readonly timezone: string;
  readonly avatarSource: string;
  readonly avatarVersion: number;
  /** Custom profile values of the account, by field id. Absent if the values were not read. */
  readonly profileData?: Readonly<Record<string, z.infer<typeof customProfileValueSchema>>> | undefined;
}

/** The user to whom the API shows another user, and the format that the viewer's client requested. */
export interface UserViewOptions {
  readonly viewer: EmailViewer;
  readonly clientGravatar: boolean;
  readonly customFields: boolean;
}

/** Returns an account in the JSON form of the API, with the data that the viewer may see. */
export function toWireUser(user: UserRecord, view: UserViewOptions): WireUser {
  const { viewer } = view;
  return {
    user_id: user.id,
    delivery_email: canViewerSeeEmail(viewer, user) ? user.deliveryEmail : null,
    email: getDisplayedEmail(viewer, user),
    full_name: user.fullName,
    date_joined: user.dateJoined,
    is_active: user.isActive,
    is_owner: user.role === userRoleNumbers.owner,
    is_admin: isOwnerOrAdministrator(user),
    is_guest: isGuest(user),
    is_bot: user.isBot,
    bot_type: user.botType,
    ...(user.isBot && { bot_owner_id: user.botOwnerId }),
    role: user.role,
    timezone: user.timezone,
    avatar_url: createAvatarUrl(viewer, user, view.clientGravatar),
    avatar_version: user.avatarVersion,
    is_imported_stub: user.isImportedStub,
    ...(user.isDeleted && { is_deleted: true as const }),
    ...(user.isSystemBot && { is_system_bot: true as const }),
    ...(view.customFields && !user.isBot && { profile_data: { ...user.profileData } }),
  };
}

/**
 * Returns a placeholder for an account that the viewer may not see, for clients that cannot omit accounts. Only the
 * user id in the placeholder is real (docs/contract/chat.md 3.3, user_list_incomplete).
 */
export function toPlaceholderUser(user: Pick<UserRecord, 'id'>, viewer: EmailViewer): WireUser {
  return {
    user_id: user.id,
    delivery_email: null,
    email: `user${user.id}@${viewer.fakeEmailDomain}`,
    full_name: 'Unknown user',
    date_joined: '1970-01-01T00:00:00+00:00',
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    role: userRoleNumbers.member,
    timezone: '',
    avatar_url: '/static/images/unknown-user-avatar.png',
    avatar_version: 1,
    is_imported_stub: false,
  };
}

/**
 * Returns an account in the JSON form of the API for spectators. The result has no email address, and contains only the
 * day of the join date.
 */
export function toWireUserForSpectator(user: UserRecord, viewer: EmailViewer): WireUser {
  const nobodySees = { ...user, emailVisibility: emailVisibilityValues.nobody };
  const wire = toWireUser(nobodySees, { viewer, clientGravatar: false, customFields: false });
  return {
    ...wire,
    delivery_email: null,
    email: `user${user.id}@${viewer.fakeEmailDomain}`,
    date_joined: `${user.dateJoined.slice(0, 10)}T00:00:00+00:00`,
    timezone: '',
  };
}
