import { AuditTrail } from '@switchboard/platform';

const objectFields = {
  created: { after: 'values of the new object' },
  changed: {
    changed: 'names of the changed fields',
    before: 'former values of the changed fields in the list below',
    after: 'new values of these fields',
  },
  deleted: { before: 'values of the deleted object' },
};

/**
 * Audit trail of the inventory service (docs/operate/audit.md). `openDatabase` writes the lines of committed
 * transactions.
 */
export const inventoryAudit = new AuditTrail({
  sign_in: {
    when: 'a login with a user name and password',
    object: 'user',
    fields: { method: '`session` (login page) or `token` (token provisioning)' },
  },
  sign_in_failed: {
    when: 'a login that was refused; the id is null if no user has the name, or if too many logins have failed',
    object: 'user',
    fields: { method: 'as for `sign_in`', reason: '`INVALID_LOGIN` or `LOGIN_THROTTLED`' },
  },
  sign_out: { when: 'the end of a browser session by its user', object: 'user' },
  user_created: { when: 'a new user', object: 'user', fields: objectFields.created },
  user_changed: {
    when: 'a change of a user, also of the password, which ends all sessions of the user',
    object: 'user',
    fields: objectFields.changed,
  },
  user_deleted: { when: 'the deletion of a user', object: 'user', fields: objectFields.deleted },
  token_created: {
    when: 'a new API token, also by token provisioning',
    object: 'token',
    fields: objectFields.created,
  },
  token_changed: { when: 'a change of an API token', object: 'token', fields: objectFields.changed },
  token_deleted: {
    when: 'the deletion of an API token, also with its user',
    object: 'token',
    fields: objectFields.deleted,
  },
  group_created: { when: 'a new group', object: 'group', fields: objectFields.created },
  group_changed: { when: 'a change of a group', object: 'group', fields: objectFields.changed },
  group_deleted: { when: 'the deletion of a group', object: 'group', fields: objectFields.deleted },
  permission_created: { when: 'a new object permission', object: 'permission', fields: objectFields.created },
  permission_changed: { when: 'a change of an object permission', object: 'permission', fields: objectFields.changed },
  permission_deleted: {
    when: 'the deletion of an object permission',
    object: 'permission',
    fields: objectFields.deleted,
  },
  webhook_created: { when: 'a new webhook', object: 'webhook', fields: objectFields.created },
  webhook_changed: {
    when: 'a change of a webhook, also of its secret alone',
    object: 'webhook',
    fields: objectFields.changed,
  },
  webhook_deleted: { when: 'the deletion of a webhook', object: 'webhook', fields: objectFields.deleted },
});
