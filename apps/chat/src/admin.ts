import { parseArgs } from 'node:util';
import {
  requireEncryptionKeysMatchDatabase,
  runSecretsCommand,
  secretsCommandUsage,
  verifyEncryptionKeysMatchDatabase,
} from '@switchboard/auth';
import {
  backupCommandNames,
  backupCommandLineOptions,
  backupCommandUsage,
  listMigrationNames,
  runBackupCommand,
} from '@switchboard/database';
import {
  type AdminCommandObject,
  checkCommandUsage,
  ConfigError,
  createLogger,
  describeConnectionError,
  runAuditedAdminCommand,
  runCheckCommand,
} from '@switchboard/platform';
import { AdminError } from './app/admin/admin-error.js';
import {
  createRealmOwnerAccount,
  operatorGrantedAccountRights,
  resetPassword,
  setOperatorGrantedAccountRight,
  setAccountRateLimits,
} from './app/admin/accounts.js';
import { createChatChecks } from './app/admin/check-installation.js';
import { callWithChatBackupSource } from './app/admin/chat-backup-source.js';
import { describeDeadLetters } from './app/admin/list-dead-letters.js';
import { checkRealmHost, createRealm, parseRealmPublicUrl, setRealmUrl } from './app/admin/create-realm.js';
import { importRealm } from './app/admin/import-realm/import-realm.js';
import { reactivateRealm } from './app/admin/reactivate-realm.js';
import { readChatServiceConfig, type ChatServiceConfig } from './app/environment.js';
import {
  createChatSchemaMigrator,
  canOperatorCorrectStartError,
  chatMigrationsFolderPath,
  minimumPostgresMajorVersion,
} from './migrate.js';
import { type ChatRuntime, closeChatProcessRuntime, createChatProcessRuntime } from './app/runtime.js';
import { chatSecretColumns } from './app/stored-secrets.js';

const adminCommandUsageText = `Usage: npm run admin -- chat <command> [options]

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
      Grants: ${operatorGrantedAccountRights.join(', ')}
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
${checkCommandUsage}
  check --mail <address>
      Sends a test email in addition to the checks.

--url      Scheme, host and port of all links to the organization, such as https://chat.example.com:8443.
--password Without this option a password is generated and printed once.
--realm    The --string-id of the organization. Required if there are several.
`;

const adminCommandLineOptions = {
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
  mail: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type ParsedAdminOptions = ReturnType<typeof parseAdminArguments>['values'];

function parseAdminArguments() {
  return parseArgs({ options: adminCommandLineOptions, allowPositionals: true });
}

/** Options whose values are neither secrets nor personal data, for the audit line of a command. */
const auditedOptions = [
  'host',
  'string-id',
  'realm',
  'grant',
  'value',
  'rules',
  'status',
  'json',
  ...Object.keys(backupCommandLineOptions),
  'yes',
] as const;

/** Text that an admin command prints, and the object that it has changed. */
interface AdminResult {
  readonly text: string;
  readonly object?: AdminCommandObject;
}

/** An admin command: a function of the service's runtime, the parsed options and the word after the command name. */
type AdminCommand = (
  runtime: ChatRuntime,
  given: ParsedAdminOptions,
  operand: string | undefined,
) => Promise<AdminResult>;

/**
 * Names of admin commands that neither encrypt nor digest data, and therefore do not record encryption keys as used.
 */
const readOnlyAdminCommands: readonly string[] = ['list-dead-letters', 'set-url', 'set-grant', 'set-rate-limit'];

const adminCommandsByName: Readonly<Record<string, AdminCommand>> = {
  'create-realm': async (runtime, given) => {
    const host = requireOptionValue(given.host, 'host');
    const name = requireOptionValue(given.name, 'name');
    const stringId = given['string-id'] ?? host.split('.', 1)[0] ?? host;
    const request = { stringId, name, host, publicUrl: given.url, description: given.description ?? '' };
    const id = await createRealm(runtime, request);
    const text = `Created the organization ${name} (${stringId}). Next, run: create-owner --email <address> --full-name <name>`;
    return { text, object: { type: 'realm', id } };
  },
  'import-realm': async (runtime, given, path) => {
    if (path === undefined) throw new AdminError(`The path of the export is missing.\n\n${adminCommandUsageText}`);
    const host = given.host === undefined ? undefined : checkRealmHost(given.host);
    const publicUrl = given.url === undefined ? undefined : parseRealmPublicUrl(given.url).origin;
    return { text: await importRealm(runtime, { path, host, publicUrl, stringId: given['string-id'] }) };
  },
  'list-dead-letters': async (runtime) => ({ text: await describeDeadLetters(runtime.outbox) }),
  'reactivate-realm': async (runtime, given) => {
    const id = await reactivateRealm(runtime, given.realm);
    return {
      text: 'The organization is active again. Its users have to sign in again.',
      object: { type: 'realm', id },
    };
  },
  'set-url': async (runtime, given) => {
    const url = requireOptionValue(given.url, 'url');
    const id = await setRealmUrl(runtime, { realm: given.realm, url });
    return { text: `Links to the organization now begin with ${url}`, object: { type: 'realm', id } };
  },
  'create-owner': async (runtime, given) => {
    const email = requireOptionValue(given.email, 'email');
    const fullName = requireOptionValue(given['full-name'], 'full-name');
    const owner = { realm: given.realm, email, fullName, password: given.password };
    const { id, password } = await createRealmOwnerAccount(runtime, owner);
    const shown = given.password === undefined ? ` with the password ${password}` : '';
    return { text: `Created the owner ${email}${shown}`, object: { type: 'user', id } };
  },
  'set-grant': async (runtime, given) => {
    const email = requireOptionValue(given.email, 'email');
    const grant = operatorGrantedAccountRights.find((name) => name === given.grant);
    if (grant === undefined) throw new AdminError(`--grant must be one of: ${operatorGrantedAccountRights.join(', ')}`);
    const value = parseBooleanOption(given.value);
    const id = await setOperatorGrantedAccountRight(runtime, { realm: given.realm, email, grant, value });
    return { text: `${email}: ${grant} is ${value}`, object: { type: 'user', id } };
  },
  'set-rate-limit': async (runtime, given) => {
    const email = requireOptionValue(given.email, 'email');
    const rules = requireOptionValue(given.rules, 'rules');
    const id = await setAccountRateLimits(runtime, { realm: given.realm, email, rules });
    return { text: `${email}: rate limits are ${rules}`, object: { type: 'user', id } };
  },
  'reset-password': async (runtime, given) => {
    const email = requireOptionValue(given.email, 'email');
    const { id, password } = await resetPassword(runtime, { realm: given.realm, email, password: given.password });
    const shown = given.password === undefined ? ` to ${password}` : '';
    const text = `Set the password of ${email}${shown}. All sessions of the account were ended.`;
    return { text, object: { type: 'user', id } };
  },
};

/** Runs one admin command on the configured database. Only the command `migrate` applies database migrations. */
async function runAdminOnConfiguredDatabase(): Promise<void> {
  const { values, positionals } = parseAdminArguments();
  const [name = '', operand] = positionals;
  const isKnown =
    Object.hasOwn(adminCommandsByName, name) ||
    [...backupCommandNames, 'migrate', 'secrets', 'check'].some((known) => known === name);
  if (!isKnown || values.help === true) {
    process.stdout.write(adminCommandUsageText);
    process.exitCode = values.help === true || name === '' ? 0 : 1;
    return;
  }
  const action = name === 'secrets' && ['status', 'rewrap', 'abandon'].includes(operand ?? '') ? ` ${operand}` : '';
  const audited = { service: 'chat', command: `${name}${action}`, options: values, shownOptions: auditedOptions };
  const config = readChatServiceConfig();
  process.exitCode = await runAuditedAdminCommand(audited, (setObject) =>
    runNamedCommand(config, { name, operand, values, setObject }),
  );
}

/** A command line, and the function that receives the object that the command has changed. */
interface CommandLine {
  readonly name: string;
  readonly operand: string | undefined;
  readonly values: ParsedAdminOptions;
  readonly setObject: (object: AdminCommandObject) => void;
}

/** Runs a known command. Returns the exit code. */
async function runNamedCommand(config: ChatServiceConfig, line: CommandLine): Promise<number> {
  const { name, values } = line;
  const schema = createChatSchemaMigrator(config);
  const backupCommand = backupCommandNames.find((known) => known === name);
  if (backupCommand !== undefined) {
    const migrations = {
      schema,
      minimumServerVersion: minimumPostgresMajorVersion,
      listMigrations: () => listMigrationNames(chatMigrationsFolderPath),
    };
    return callWithChatBackupSource(config, migrations, (service) =>
      runBackupCommand(service, backupCommand, { ...values, print: printLine }),
    );
  }
  if (name === 'migrate') {
    const { status: isStatus = false, json: isJson = false } = values;
    return schema.runMigrateCommand({ isStatus, isJson, print: printLine });
  }
  if (name === 'check') {
    const checks = createChatChecks(config, {
      schema,
      minimumServerVersion: minimumPostgresMajorVersion,
      mailTo: values.mail,
    });
    return runCheckCommand(checks, { isJson: values.json === true, print: printLine });
  }
  await schema.requireMigrations();
  const runtime = createChatProcessRuntime(config, createLogger({ level: 'silent', name: 'chat-admin' }));
  try {
    return await runDatabaseCommand(runtime, line);
  } finally {
    await closeChatProcessRuntime(runtime);
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a command on the service's database. Returns the exit code. */
async function runDatabaseCommand(runtime: ChatRuntime, line: CommandLine): Promise<number> {
  const { keys } = runtime;
  const database = runtime.database.background('secrets');
  const { name, values, operand, setObject } = line;
  const command = Object.hasOwn(adminCommandsByName, name) ? adminCommandsByName[name] : undefined;
  if (command === undefined) {
    const { json: isJson = false, yes: isConfirmed = false, key, pepper } = values;
    const options = { database, keys, stored: chatSecretColumns, print: printLine };
    const exitCode = await runSecretsCommand(options, { action: operand, isJson, key, pepper, isConfirmed });
    const id = key ?? pepper;
    // An id that was in use is no secret.
    if (operand === 'abandon' && exitCode === 0 && id !== undefined) {
      setObject({ type: key === undefined ? 'pepper' : 'encryption_key', id });
    }
    return exitCode;
  }
  if (readOnlyAdminCommands.includes(name)) await verifyEncryptionKeysMatchDatabase(database, keys);
  else await requireEncryptionKeysMatchDatabase(database, keys, chatSecretColumns);
  const { text, object } = await command(runtime, values, operand);
  if (object !== undefined) setObject(object);
  printLine(text);
  return 0;
}

function requireOptionValue(value: string | undefined, name: string): string {
  if (value === undefined || value.trim() === '')
    throw new AdminError(`--${name} is missing.\n\n${adminCommandUsageText}`);
  return value.trim();
}

function parseBooleanOption(value: string | undefined): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw new AdminError('--value must be true or false.');
  return value !== 'false';
}

/**
 * Returns the text to print for an error of an admin command. Returns only the error's message if the operator can
 * correct the error, otherwise the complete error.
 */
function explainAdminError(error: unknown): string {
  const isUsageError =
    error instanceof AdminError ||
    error instanceof ConfigError ||
    canOperatorCorrectStartError(error) ||
    (error instanceof Error && String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS'));
  if (isUsageError) return error.message;
  return describeConnectionError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

runAdminOnConfiguredDatabase().catch((error: unknown) => {
  process.stderr.write(`${explainAdminError(error)}\n`);
  process.exitCode = 1;
});
