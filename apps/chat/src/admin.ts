import { parseArgs } from 'node:util';
import { requireStoredKeys, runSecretsCommand, secretsCommandUsage, verifyStoredKeys } from '@switchboard/auth';
import {
  backupCommandNames,
  backupCommandLineOptions,
  backupCommandUsage,
  listMigrationNames,
  runBackupCommand,
} from '@switchboard/database';
import { ConfigError, createLogger, describeConnectionError } from '@switchboard/platform';
import { AdminError } from './app/admin/admin-error.js';
import { createOwner, operatorRights, resetPassword, setOperatorRight, setRateLimits } from './app/admin/accounts.js';
import { withBackedUpChat } from './app/admin/backed-up-chat.js';
import { describeDeadLetters } from './app/admin/list-dead-letters.js';
import { checkRealmHost, createRealm, parsePublicUrl, setRealmUrl } from './app/admin/create-realm.js';
import { importRealm } from './app/admin/import-realm/import-realm.js';
import { reactivateRealm } from './app/admin/reactivate-realm.js';
import { readConfig } from './app/environment.js';
import { chatSchema, isOperatorError, migrationsFolder, minimumServerVersion } from './migrate.js';
import { type ChatRuntime, closeRuntime, createRuntime } from './app/runtime.js';
import { chatSecretColumns } from './app/stored-secrets.js';

const adminUsage = `Usage: npm run admin -- chat <command> [options]

  create-realm --name <name> --host <host> [--url <url>] [--string-id <id>] [--description <text>]
      Creates an organization without users. The default of --string-id is the first label of --host.
  create-owner --email <address> --full-name <name> [--password <password>] [--realm <id>]
      Creates an owner of an organization.
  reset-password --email <address> [--password <password>] [--realm <id>]
      Sets the password of an account and ends its sessions.
  reactivate-realm [--realm <id>]
      Reactivates a deactivated organization, until its data is deleted.
  set-url --url <url> [--realm <id>]
      Changes the URL of an organization.
  set-grant --email <address> --grant <grant> [--value true|false] [--realm <id>]
      Grants a right that only the operator can grant, or revokes it with --value false.
      Grants: ${operatorRights.join(', ')}
  set-rate-limit --email <address> --rules <seconds>:<count>,...|off|default [--realm <id>]
      Replaces the rate limits of an account, turns them off, or restores the configured ones.
  import-realm <path> [--host <host>] [--url <url>] [--string-id <id>]
      Imports an export of a Zulip server or of this service, as a .tar.gz file or an extracted folder, into a database
      without an organization. An organization without users is replaced, and its host and URL are the defaults.
  list-dead-letters
      Lists outbox rows that failed permanently.
  migrate [--status [--json]]
      Applies the migrations of this release with the role of MIGRATION_DATABASE_URL, if set. With --status it prints each
      migration with its state and changes nothing; exit code 0: up to date, 3: pending migrations, 1: a problem.
${backupCommandUsage}
${secretsCommandUsage}

--url      Scheme, host and port of all links to the organization, such as https://chat.example.com:8443.
--password Without this option a password is generated and printed once.
--realm    The --string-id of the organization. Required if there are several.
`;

const adminOptions = {
  name: { type: 'string' },
  host: { type: 'string' },
  url: { type: 'string' },
  'string-id': { type: 'string' },
  description: { type: 'string' },
  email: { type: 'string' },
  'full-name': { type: 'string' },
  password: { type: 'string' },
  realm: { type: 'string' },
  grant: { type: 'string' },
  value: { type: 'string' },
  rules: { type: 'string' },
  status: { type: 'boolean' },
  json: { type: 'boolean' },
  ...backupCommandLineOptions,
  key: { type: 'string' },
  pepper: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type AdminOptions = ReturnType<typeof parseAdminArguments>['values'];

function parseAdminArguments() {
  return parseArgs({ options: adminOptions, allowPositionals: true });
}

/**
 * An admin command: a function of the service's runtime, the parsed options and the word after the command name. It
 * returns the text to print.
 */
type AdminCommand = (runtime: ChatRuntime, given: AdminOptions, operand: string | undefined) => Promise<string>;

/** Commands that encrypt and digest nothing, and therefore do not record keys as used. */
const readOnlyAdminCommands: readonly string[] = ['list-dead-letters', 'set-url', 'set-grant', 'set-rate-limit'];

const adminCommandNames: Readonly<Record<string, AdminCommand>> = {
  'create-realm': async (runtime, given) => {
    const host = requiredOption(given.host, 'host');
    const name = requiredOption(given.name, 'name');
    const stringId = given['string-id'] ?? host.split('.', 1)[0] ?? host;
    await createRealm(runtime, { stringId, name, host, publicUrl: given.url, description: given.description ?? '' });
    return `Created the organization ${name} (${stringId}). Next, run: create-owner --email <address> --full-name <name>`;
  },
  'import-realm': (runtime, given, path) => {
    if (path === undefined) throw new AdminError(`The path of the export is missing.\n\n${adminUsage}`);
    const host = given.host === undefined ? undefined : checkRealmHost(given.host);
    const publicUrl = given.url === undefined ? undefined : parsePublicUrl(given.url).origin;
    return importRealm(runtime, { path, host, publicUrl, stringId: given['string-id'] });
  },
  'list-dead-letters': (runtime) => describeDeadLetters(runtime.outbox),
  'reactivate-realm': async (runtime, given) => {
    await reactivateRealm(runtime, given.realm);
    return 'The organization is active again. Its users have to sign in again.';
  },
  'set-url': async (runtime, given) => {
    const url = requiredOption(given.url, 'url');
    await setRealmUrl(runtime, { realm: given.realm, url });
    return `Links to the organization now begin with ${url}`;
  },
  'create-owner': async (runtime, given) => {
    const email = requiredOption(given.email, 'email');
    const fullName = requiredOption(given['full-name'], 'full-name');
    const password = await createOwner(runtime, { realm: given.realm, email, fullName, password: given.password });
    return `Created the owner ${email}${given.password === undefined ? ` with the password ${password}` : ''}`;
  },
  'set-grant': async (runtime, given) => {
    const email = requiredOption(given.email, 'email');
    const grant = operatorRights.find((name) => name === given.grant);
    if (grant === undefined) throw new AdminError(`--grant must be one of: ${operatorRights.join(', ')}`);
    const value = booleanOption(given.value);
    await setOperatorRight(runtime, { realm: given.realm, email, grant, value });
    return `${email}: ${grant} is ${value}`;
  },
  'set-rate-limit': async (runtime, given) => {
    const email = requiredOption(given.email, 'email');
    const rules = requiredOption(given.rules, 'rules');
    await setRateLimits(runtime, { realm: given.realm, email, rules });
    return `${email}: rate limits are ${rules}`;
  },
  'reset-password': async (runtime, given) => {
    const email = requiredOption(given.email, 'email');
    const password = await resetPassword(runtime, { realm: given.realm, email, password: given.password });
    const shown = given.password === undefined ? ` to ${password}` : '';
    return `Set the password of ${email}${shown}. All sessions of the account were ended.`;
  },
};

/** Runs one admin command on the configured database. Only the command `migrate` applies migrations. */
async function runAdmin(): Promise<void> {
  const { values, positionals } = parseAdminArguments();
  const [name = '', operand] = positionals;
  const command = Object.hasOwn(adminCommandNames, name) ? adminCommandNames[name] : undefined;
  const backupCommand = backupCommandNames.find((known) => known === name);
  const isOther = backupCommand !== undefined || name === 'migrate' || name === 'secrets';
  if ((command === undefined && !isOther) || values.help === true) {
    process.stdout.write(adminUsage);
    process.exitCode = values.help === true || name === '' ? 0 : 1;
    return;
  }
  const config = readConfig();
  const schema = chatSchema(config);
  if (backupCommand !== undefined) {
    const migrations = { schema, minimumServerVersion, listMigrations: () => listMigrationNames(migrationsFolder) };
    process.exitCode = await withBackedUpChat(config, migrations, (service) =>
      runBackupCommand(service, backupCommand, { ...values, print: printLine }),
    );
    return;
  }
  if (name === 'migrate') {
    const { status: isStatus = false, json: isJson = false } = values;
    process.exitCode = await schema.runMigrateCommand({ isStatus, isJson, print: printLine });
    return;
  }
  await schema.requireMigrations();
  const runtime = createRuntime(config, createLogger({ level: 'silent', name: 'chat-admin' }));
  try {
    const isReading = readOnlyAdminCommands.includes(name ?? '');
    process.exitCode = await runAdminCommand(runtime, { command, isReading, values, operand });
  } finally {
    await closeRuntime(runtime);
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a command on the service's database. Without `command` it is the command `secrets`. Returns the exit code. */
async function runAdminCommand(
  runtime: ChatRuntime,
  given: {
    readonly command: AdminCommand | undefined;
    /** True for a command that encrypts and digests nothing. */
    readonly isReading: boolean;
    readonly values: AdminOptions;
    readonly operand?: string | undefined;
  },
): Promise<number> {
  const { keys } = runtime;
  const database = runtime.database.background('secrets');
  const { command, values, operand } = given;
  if (command === undefined) {
    const { json: isJson = false, yes: isConfirmed = false, key, pepper } = values;
    const options = { database, keys, stored: chatSecretColumns, print: printLine };
    return runSecretsCommand(options, { action: operand, isJson, key, pepper, isConfirmed });
  }
  if (given.isReading) await verifyStoredKeys(database, keys);
  else await requireStoredKeys(database, keys, chatSecretColumns);
  printLine(await command(runtime, values, operand));
  return 0;
}

function requiredOption(value: string | undefined, name: string): string {
  if (value === undefined || value.trim() === '') throw new AdminError(`--${name} is missing.\n\n${adminUsage}`);
  return value.trim();
}

function booleanOption(value: string | undefined): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw new AdminError('--value must be true or false.');
  return value !== 'false';
}

/** Returns only the message of an error that the operator can correct. Returns the complete error otherwise. */
function explainAdminError(error: unknown): string {
  const isUsageError =
    error instanceof AdminError ||
    error instanceof ConfigError ||
    isOperatorError(error) ||
    (error instanceof Error && String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS'));
  if (isUsageError) return error.message;
  return describeConnectionError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

runAdmin().catch((error: unknown) => {
  process.stderr.write(`${explainAdminError(error)}\n`);
  process.exitCode = 1;
});
