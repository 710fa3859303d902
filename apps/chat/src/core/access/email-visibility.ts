import { isOwnerOrAdministrator, isGuest, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { isSpectator } from './spectator-actor.js';

/**
 * Numbers of the setting `email_address_visibility`, by the users who may see an account's real email address
 * (docs/contract/chat.md 2.G).
 */
export const emailVisibilityValues = { everyone: 1, members: 2, admins: 3, nobody: 4, moderators: 5 } as const;

/** Properties of an account that decide whether other users see the account's real email address or a placeholder. */
export interface EmailOwner {
  readonly id: number;
  readonly deliveryEmail: string;
  readonly emailVisibility: number;
  readonly isBot: boolean;
}

/** The user to whom the API shows another account's email address. */
export interface EmailViewer {
  readonly id: number;
  readonly role: number;
  readonly fakeEmailDomain: string;
}

/**
 * Returns true if the viewer may see the account's real email address. All users see the addresses of bots, and each
 * user sees their own address.
 */
export function canViewerSeeEmail(viewer: EmailViewer, owner: EmailOwner): boolean {
  if (owner.isBot || owner.id === viewer.id) return true;
  if (isSpectator(viewer)) return false;
  switch (owner.emailVisibility) {
    case emailVisibilityValues.everyone:
      return true;
    case emailVisibilityValues.members:
      return !isGuest(viewer);
    case emailVisibilityValues.moderators:
      return viewer.role <= userRoleNumbers.moderator;
    case emailVisibilityValues.admins:
      return isOwnerOrAdministrator(viewer);
    default:
      return false;
  }
}

/** Returns the email address of an account that the viewer sees: the real address, or a placeholder. */
export function getDisplayedEmail(viewer: EmailViewer, owner: EmailOwner): string {
  return canViewerSeeEmail(viewer, owner) ? owner.deliveryEmail : `user${owner.id}@${viewer.fakeEmailDomain}`;
}
