import { createHash } from 'node:crypto';

/** The picture of a realm that uploaded none: one that Gravatar draws from its name. */
export function realmIcon(stringId: string): string {
  const hash = createHash('md5').update(stringId).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=1`;
}
