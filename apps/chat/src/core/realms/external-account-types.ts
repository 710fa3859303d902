/**
 * External account services, such as GitHub, that custom profile fields can refer to. The key is the subtype of the
 * field (docs/contract/chat.md 2.H).
 */
export const externalAccountServicesByKey = {
  twitter: { name: 'Twitter', text: 'Twitter', hint: '', url_pattern: 'https://twitter.com/%(username)s' },
  github: { name: 'GitHub', text: 'GitHub', hint: '', url_pattern: 'https://github.com/%(username)s' },
} as const;
