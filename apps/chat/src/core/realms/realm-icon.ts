import { createHash } from 'node:crypto';

/** Returns the icon URL of a realm without an uploaded icon: an identicon that Gravatar generates. */
export function realmIcon(stringId: string): string {
  const hash = createHash('md5').update(stringId).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=1`;
}
