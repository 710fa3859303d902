/** Returns SQL of a time in UNIX seconds with a fraction, as exports contain times. */
export const epochSql = (time: string): string => `extract(epoch FROM ${time})::float8`;

/** Returns SQL of the id of the conversation of a user with others, in the table of recipients of an archive. */
export const personalRecipientSql = (userId: string): string => `2 * ${userId} + 1`;

/** Returns SQL of the id of a row of `recipients` in the table of recipients of an archive. */
export const recipientSql = (id: string): string => `2 * ${id}`;

/** SQL of the address of `users u` of `realms realm` that all other users may see. */
export const shownEmailSql = `CASE WHEN u.email_address_visibility = 1 OR u.bot_type IS NOT NULL THEN u.delivery_email
  ELSE 'user' || u.id || '@' || realm.fake_email_domain END`;

/** SQL of the condition that `users u` is exported as an account, and not as one of the bots that every server has. */
export const isAccountSql = 'u.realm_id = $1 AND NOT u.is_system_bot';

/** Returns SQL of the condition that private data of a user is exported. */
export const isConsentingSql = (userId: string): string => `${userId} = ANY($2::int[])`;

/**
 * SQL of the condition that `users u` becomes an account that cannot be used until its owner joins again: a user who
 * does not consent, or in a public export a user whose address even administrators do not see.
 */
export const isDummySql = `CASE WHEN $3 THEN u.email_address_visibility = 4
  ELSE u.is_active AND NOT ${isConsentingSql('u.id')} END`;
