import { AuditTrail } from '@switchboard/platform';

const changedState = {
  before: 'former values of the changed properties',
  after: 'new values of the changed properties',
};

/**
 * Audit trail of the chat service (docs/operate/audit.md). `openDatabase` of the runtime writes the lines of committed
 * transactions.
 */
export const chatAudit = new AuditTrail({
  sign_in: {
    when: 'a sign-in to an account',
    object: 'user',
    fields: {
      method:
        '`password` (API key), `session` (sign-in page), `repeated_password` (API key for a session), `jwt`, `development` or `invitation`',
    },
  },
  sign_in_failed: {
    when: 'a sign-in that was refused; the id is null if no account has the email address',
    object: 'user',
    fields: { method: 'as for `sign_in`', reason: 'error code of the response' },
  },
  sign_out: { when: 'the end of a browser session by its user', object: 'user' },
  password_changed: {
    when: 'a change of the password by the user, which ends all sessions of the account',
    object: 'user',
  },
  password_reset: {
    when: 'a new password by the link of a mail, which ends all sessions of the account',
    object: 'user',
  },
  api_key_regenerated: { when: 'a new API key of a user or bot', object: 'user' },
  bot_key_read: {
    when: 'a response of `GET /bots/{bot_id}/api_key`; `GET /bots` and `POST /register` also contain keys of bots and write no line',
    object: 'user',
  },
  scoped_key_created: {
    when: 'a new API key with scopes',
    object: 'api_key',
    fields: {
      userId: 'account of the key',
      scopes: 'scopes of the key',
      expiresAt: 'end of the key in UNIX seconds; null for none',
    },
  },
  scoped_key_deleted: {
    when: 'the deletion of an API key with scopes',
    object: 'api_key',
    fields: { userId: 'account of the key' },
  },
  user_created: {
    when: 'a new account of a user',
    object: 'user',
    fields: {
      role: 'number of the role',
      method: '`api` or `invitation`',
      groups: 'ids of the groups of an invitation; empty for `api`',
    },
  },
  user_role_changed: { when: 'a change of the role of a user or bot', object: 'user', fields: changedState },
  user_email_changed: { when: 'a new email address of a user or bot; the line contains no address', object: 'user' },
  user_deactivated: {
    when: 'the deactivation of a user or bot, with one line for each bot of the user',
    object: 'user',
  },
  user_reactivated: { when: 'the reactivation of a user or bot', object: 'user' },
  bot_created: {
    when: 'a new bot',
    object: 'user',
    fields: { ownerId: 'owner of the bot', botType: 'type of the bot' },
  },
  bot_owner_changed: { when: 'a new owner of a bot', object: 'user', fields: changedState },
  invitation_created: {
    when: 'invitations by mail, or a reusable link',
    object: 'realm',
    fields: {
      role: 'number of the role of invited users',
      count: 'number of invited addresses; null for a reusable link',
      groups: 'ids of the user groups that invited users join',
    },
  },
  realm_settings_changed: {
    when: 'a change of settings and permissions of the organization',
    object: 'realm',
    fields: changedState,
  },
  realm_domain_added: {
    when: 'a new email domain for accounts',
    object: 'realm',
    fields: { domain: 'the domain', allowSubdomains: 'true if subdomains are accepted' },
  },
  realm_domain_changed: {
    when: 'a change of an email domain for accounts',
    object: 'realm',
    fields: { domain: 'the domain', allowSubdomains: 'true if subdomains are accepted' },
  },
  realm_domain_removed: {
    when: 'the removal of an email domain for accounts',
    object: 'realm',
    fields: { domain: 'the domain' },
  },
  default_settings_changed: {
    when: 'a change of the default settings of new users',
    object: 'realm',
    fields: { after: changedState.after },
  },
  realm_deactivated: {
    when: 'the deactivation of the organization, which ends all sessions',
    object: 'realm',
    fields: { deletionDelayDays: 'days until its data is deleted; null for never' },
  },
  group_created: {
    when: 'a new user group',
    object: 'user_group',
    fields: { members: 'ids of members', subgroups: 'ids of subgroups' },
  },
  group_changed: {
    when: 'a change of permissions of a user group, or of its name',
    object: 'user_group',
    fields: changedState,
  },
  group_members_changed: {
    when: 'a change of members or subgroups of a user group by a request',
    object: 'user_group',
    fields: {
      add: 'ids of new members',
      delete: 'ids of removed members',
      addSubgroups: 'ids of new subgroups',
      deleteSubgroups: 'ids of removed subgroups',
    },
  },
  group_deactivated: { when: 'the deactivation of a user group', object: 'user_group' },
  group_reactivated: { when: 'the reactivation of a user group', object: 'user_group' },
  export_requested: {
    when: 'the request for an export of the organization',
    object: 'realm_export',
    fields: { exportType: 'number of the type' },
  },
  export_downloaded: {
    when: 'the start of a download of an export by its link; the actor is the user who got the link',
    object: 'realm_export',
  },
  export_deleted: { when: 'the deletion of the archive of an export', object: 'realm_export' },
  event_webhook_created: {
    when: 'a new event webhook',
    object: 'event_webhook',
    fields: { host: 'host of the URL', eventTypes: 'subscribed event types' },
  },
  event_webhook_changed: {
    when: 'a change of an event webhook',
    object: 'event_webhook',
    fields: {
      host: 'host of the URL',
      eventTypes: 'subscribed event types',
      isEnabled: 'true if the webhook is enabled',
      changed: 'names of the sent fields',
    },
  },
  event_webhook_deleted: { when: 'the deletion of an event webhook', object: 'event_webhook' },
  event_webhook_secret_rotated: { when: 'a new secret of an event webhook', object: 'event_webhook' },
});
