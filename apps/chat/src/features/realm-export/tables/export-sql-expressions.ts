/** Returns SQL that converts a time to UNIX seconds with a fraction, the format of times in exports. */
export const createUnixSecondsSql = (time: string): string => `extract(epoch FROM ${time})::float8`;

/** Returns the SQL expression for the id of a user's row in the archive's table of message recipients. */
export const createPersonalRecipientIdSql = (userId: string): string => `2 * ${userId} + 1`;

/**
 * Returns the SQL expression for the id that a row of the table `recipients` gets in the archive's table of message
 * recipients.
 */
export const createExportedRecipientIdSql = (id: string): string => `2 * ${id}`;

/** SQL expression for the email address of the user `u` that all other users of the realm `realm` may see. */
export const publiclyShownEmailSql = `CASE WHEN u.email_address_visibility = 1 OR u.bot_type IS NOT NULL THEN u.delivery_email
  ELSE 'user' || u.id || '@' || realm.fake_email_domain END`;

/** SQL condition that the user `u` is exported as an account. Bots that exist on every server are excluded. */
export const isExportedAsAccountSql = 'u.realm_id = $1 AND NOT u.is_system_bot';

/** Returns the SQL condition that private data of the given user is exported. */
export const createPrivateDataExportedSql = (userId: string): string => `${userId} = ANY($2::int[])`;

/**
 * SQL condition that the user `u` is exported as a placeholder account, which cannot be used until the owner joins
 * again. In public exports, the condition is true if even administrators cannot see the user's email address. In other
 * exports, the condition is true for active users who do not consent.
 */
export const isExportedAsPlaceholderSql = `CASE WHEN $3 THEN u.email_address_visibility = 4
  ELSE u.is_active AND NOT ${createPrivateDataExportedSql('u.id')} END`;
