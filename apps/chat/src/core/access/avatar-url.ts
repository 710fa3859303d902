import { createHash } from 'node:crypto';
import { getDisplayedEmail, type EmailOwner, type EmailViewer, canViewerSeeEmail } from './email-visibility.js';

/**
 * The user to whom an avatar belongs. `avatarSource` is `G` for Gravatar, the third-party provider, and `U` for an
 * uploaded picture.
 */
export interface AvatarOwner extends EmailOwner {
  readonly avatarSource: string;
  readonly avatarVersion: number;
}

/**
 * Returns the avatar URL of an account. Returns null if the client computes the URL itself (chat-2.1-15). This requires
 * that the client requested `clientGravatar`, the viewer may see the real address, and the avatar is from Gravatar. The
 * URL never contains the hash of a hidden email address.
 */
export function createAvatarUrl(viewer: EmailViewer, owner: AvatarOwner, clientGravatar: boolean): string | null {
  if (owner.avatarSource !== 'G') return `/avatar/${owner.id}?version=${owner.avatarVersion}`;
  if (clientGravatar && canViewerSeeEmail(viewer, owner)) return null;
  const hash = createHash('md5').update(getDisplayedEmail(viewer, owner).toLowerCase()).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${owner.avatarVersion}`;
}

/**
 * Returns the URL of the medium-sized version of an avatar.
 *
 * @param url URL of the standard size, as returned by {@link createAvatarUrl}
 */
export function createMediumAvatarUrl(url: string): string {
  return url.startsWith('/') ? url.replace('?', '/medium?') : `${url}&s=500`;
}
