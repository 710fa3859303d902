/** Returns SQL of a time in UNIX seconds with a fraction, the format of times in exports. */
export const toUnixSecondsSql = (time: string): string => `extract(epoch FROM ${time})::float8`;

/** Returns SQL of the recipient id of a user's conversation with others, as in the archive's table of recipients. */
export const personalRecipientSql = (userId: string): string => `2 * ${userId} + 1`;

/** Returns SQL of the id that a row of `recipients` has in the archive's table of recipients. */
export const recipientSql = (id: string): string => `2 * ${id}`;

/** SQL of the email address of `users u` in `realms realm` that all other users may see. */
export const shownEmailSql = `CASE WHEN u.email_address_visibility = 1 OR u.bot_type IS NOT NULL THEN u.delivery_email
  ELSE 'user' || u.id || '@' || realm.fake_email_domain END`;

/** SQL condition that `users u` is exported as an account. Bots that exist on every server are not. */
export const isAccountSql = 'u.realm_id = $1 AND NOT u.is_system_bot';

/** Returns SQL of the condition that private data of the given user is exported. */
export const isConsentingSql = (userId: string): string => `${userId} = ANY($2::int[])`;

/**
 * SQL condition that `users u` is exported as an account that cannot be used until its owner joins again: the user does
 * not consent, or the export is public and even administrators cannot see the user's email address.
 */
export const isStubAccountSql = `CASE WHEN $3 THEN u.email_address_visibility = 4
  ELSE u.is_active AND NOT ${isConsentingSql('u.id')} END`;
