/** External account services by subtype of a custom profile field (docs/contract/chat.md 2.H). */
export const externalAccounts = {
  twitter: { name: 'Twitter', text: 'Twitter', hint: '', url_pattern: 'https://twitter.com/%(username)s' },
  github: { name: 'GitHub', text: 'GitHub', hint: '', url_pattern: 'https://github.com/%(username)s' },
} as const;
