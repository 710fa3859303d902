import type { AuditActionDescription, AuditActions } from './audit-trail.js';

/** Action of the lines of admin commands, which both services write. */
const adminCommandAction: AuditActionDescription = {
  when: 'an admin command ends',
  object: 'user`, `realm`, `encryption_key` or `pepper',
  fields: {
    command: 'name of the command',
    options: 'given options; values of options with secrets or personal data are left out',
    exitCode: 'exit code of the command; 1 after a failure, 128 plus the number of the signal after a signal',
  },
};

/** Returns the Markdown table of the audit actions of a service, with the action of its admin commands. */
export function auditActionTable(actions: AuditActions): string {
  const rows = Object.entries({ ...actions, admin_command: adminCommandAction }).map(([name, description]) => {
    const { when, object, fields = {} } = description;
    const further = Object.entries(fields).map(([field, meaning]) => `\`${field}\`: ${meaning}`);
    return `| \`${name}\` | ${when} | \`${object}\` | ${further.join('; ')} |`;
  });
  return ['| action | written when | object | further fields |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}
