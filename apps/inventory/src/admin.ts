import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  RedisCredentialInvalidationNotifier,
  requireEncryptionKeysMatchDatabase,
  runSecretsCommand,
  secretsCommandUsage,
  verifyEncryptionKeysMatchDatabase,
} from '@switchboard/auth';
import {
  backupCommandNames,
  backupCommandLineOptions,
  backupCommandUsage,
  createDatabase,
  runBackupCommand,
} from '@switchboard/database';
import {
  type AdminCommandObject,
  checkCommandUsage,
  createLogger,
  describeConnectionError,
  readConfigOrExit,
  runAuditedAdminCommand,
  runCheckCommand,
} from '@switchboard/platform';
import { connectRedis } from '@switchboard/queue';
import { callWithInventoryBackupSource } from './inventory-backup-source.js';
import { countOutdatedCablePaths, rebuildCablePaths } from './cable-paths/index.js';
import { createInventoryChecks } from './check-installation.js';
import { type InventoryConfig, readConfig } from './config.js';
import { getCredentialRedisChannelName } from './open-inventory.js';
import { getInventoryMigrations, isOperatorCorrectableError } from './migrate.js';
import { type InventoryDatabase, openPrisma } from './prisma-client.js';
import { createServiceKeyRing } from './secrets/encryption-key-ring.js';
import { inventorySecretColumns } from './secrets/stored-secrets.js';
import { createOrResetSuperuser, SimilarUsernameError } from './users/create-superuser.js';
import { generateTokenToStore, addTokenOfUser } from './users/create-token.js';

const adminUsage = `Usage: npm run admin -- inventory <command> [<username>] [options]

  create-superuser <username> [--password <password>]
      Creates a superuser. An existing user becomes an active superuser with a new password.
      Without --password a password is generated and printed.
  create-token <username> [--description <text>]
      Creates an API token of a user and prints it once.
  check-paths
      Compares the stored cable paths with a trace of all cables. The exit status is 1 if they differ.
  rebuild-paths
      Traces all cables again and stores the paths that differ.
  migrate [--status [--json]]
      Applies the migrations of this release with the role of MIGRATION_DATABASE_URL, if set. With --status it prints each
      migration with its state and changes nothing; exit code 0: up to date, 3: pending migrations, 1: a problem.
${backupCommandUsage}
${secretsCommandUsage}
${checkCommandUsage}`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    password: { type: 'string' },
    description: { type: 'string', default: 'Created by the admin command' },
    status: { type: 'boolean' },
    json: { type: 'boolean' },
    ...backupCommandLineOptions,
    key: { type: 'string' },
    pepper: { type: 'string' },
    yes: { type: 'boolean' },
  },
});

const adminLogger = createLogger({ level: 'warn', name: 'inventory-admin' });

/** Options whose values are neither secrets nor personal data, for the audit line of a command. */
const auditedOptions = ['status', 'json', ...Object.keys(backupCommandLineOptions), 'yes'];

/** Receives the object that a command has changed. */
type SetObject = (object: AdminCommandObject) => void;

function printLineToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runCreateSuperuserCommand(
  database: InventoryDatabase,
  config: InventoryConfig,
  name: string,
): Promise<number> {
  const password = values.password ?? randomBytes(18).toString('base64url');
  const redis = connectRedis(config.REDIS_URL, 'commands', adminLogger);
  const invalidations = new RedisCredentialInvalidationNotifier({
    redis,
    channel: getCredentialRedisChannelName(config),
    logger: adminLogger,
  });
  let id: number;
  try {
    id = await createOrResetSuperuser({ database, invalidations }, name, password);
  } finally {
    invalidations.close();
    redis.disconnect();
  }
  printLineToStandardOutput(`The superuser ${name} is ready.`);
  if (values.password === undefined) printLineToStandardOutput(`Password: ${password}`);
  return id;
}

/** Creates a token of a user and prints it. Returns the user's id; null if there is no such user. */
async function runCreateApiTokenCommand(
  database: InventoryDatabase,
  config: InventoryConfig,
  name: string,
): Promise<number | null> {
  const { pepper } = createServiceKeyRing(config);
  const value = generateTokenToStore();
  const made = await database.inTransaction(async (tx) => {
    const user = await tx.prisma.user.findUnique({ where: { username: name }, select: { id: true } });
    if (user === null) return null;
    await addTokenOfUser(tx, pepper, { userId: Number(user.id), value, description: values.description });
    return Number(user.id);
  });
  printLineToStandardOutput(
    made !== null ? `Token of ${name}, printed only once: ${value}` : `There is no user ${name}.`,
  );
  return made;
}

async function runCheckCablePathsCommand(database: InventoryDatabase): Promise<number> {
  const { obsolete, missing } = await countOutdatedCablePaths(database);
  printLineToStandardOutput(`${obsolete} stored cable paths lead elsewhere, and ${missing} are missing.`);
  return obsolete + missing === 0 ? 0 : 1;
}

async function runRebuildCablePathsCommand(database: InventoryDatabase): Promise<number> {
  const { obsolete, missing } = await rebuildCablePaths(database);
  printLineToStandardOutput(`Removed ${obsolete} cable paths and stored ${missing}.`);
  return 0;
}

async function runSecretsAdminCommand(
  database: InventoryDatabase,
  config: InventoryConfig,
  { action, setObject }: { readonly action: string | undefined; readonly setObject: SetObject },
): Promise<number> {
  const { json: isJson = false, yes: isConfirmed = false, key, pepper } = values;
  const keys = createServiceKeyRing(config);
  const options = {
    database: database.background('secrets'),
    keys,
    stored: inventorySecretColumns,
    print: printLineToStandardOutput,
  };
  const exitCode = await runSecretsCommand(options, { action, isJson, key, pepper, isConfirmed });
  const id = key ?? pepper;
  // An id that was in use is no secret.
  if (action === 'abandon' && exitCode === 0 && id !== undefined) {
    setObject({ type: key === undefined ? 'pepper' : 'encryption_key', id });
  }
  return exitCode;
}

/** Commands that change a user: the word after the command is a user name. */
const userCommands = ['create-superuser', 'create-token'];
const pathCommands = ['check-paths', 'rebuild-paths'];

async function runAdminCommand(): Promise<number> {
  const [command = '', operand] = positionals;
  const isWithoutUser = [...pathCommands, 'migrate', 'secrets', 'check', ...backupCommandNames].some(
    (known) => known === command,
  );
  const isKnown = isWithoutUser || (userCommands.includes(command) && operand !== undefined);
  if (values.help === true || !isKnown) {
    printLineToStandardOutput(adminUsage);
    return values.help === true ? 0 : 2;
  }
  const action = command === 'secrets' && ['status', 'rewrap', 'abandon'].includes(operand ?? '') ? ` ${operand}` : '';
  const config = readConfigOrExit(readConfig);
  const { description: _description, ...given } = values;
  const audited = { service: 'inventory', command: `${command}${action}`, options: given };
  return runAuditedAdminCommand({ ...audited, shownOptions: auditedOptions }, (setObject) =>
    runNamedCommand(config, { command, operand, setObject }),
  );
}

/** A known command with its operand, and the function that receives the object that the command has changed. */
interface CommandLine {
  readonly command: string;
  readonly operand: string | undefined;
  readonly setObject: SetObject;
}

async function runNamedCommand(config: InventoryConfig, line: CommandLine): Promise<number> {
  const { command, operand, setObject } = line;
  const schema = getInventoryMigrations(config);
  if (command === 'migrate') {
    return schema.runMigrateCommand({
      isStatus: values.status === true,
      isJson: values.json === true,
      print: printLineToStandardOutput,
    });
  }
  if (command === 'check') {
    return runCheckCommand(createInventoryChecks(config, schema), {
      isJson: values.json === true,
      print: printLineToStandardOutput,
    });
  }
  const backupCommand = backupCommandNames.find((known) => known === command);
  if (backupCommand !== undefined) {
    return callWithInventoryBackupSource(config, (service) =>
      runBackupCommand(service, backupCommand, { ...values, print: printLineToStandardOutput }),
    );
  }
  await schema.requireMigrations();
  const database: InventoryDatabase = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'inventory-admin',
    logger: adminLogger,
    slowQueryMs: config.SLOW_QUERY_MS,
    statementTimeoutMs: config.BACKGROUND_STATEMENT_TIMEOUT_MS,
    prisma: openPrisma,
  });
  try {
    if (command === 'secrets') return await runSecretsAdminCommand(database, config, { action: operand, setObject });
    const checked = database.background('check of keys');
    if (pathCommands.includes(command)) await verifyEncryptionKeysMatchDatabase(checked, createServiceKeyRing(config));
    else await requireEncryptionKeysMatchDatabase(checked, createServiceKeyRing(config), inventorySecretColumns);
    if (command === 'check-paths') return await runCheckCablePathsCommand(database);
    if (command === 'rebuild-paths') return await runRebuildCablePathsCommand(database);
    const isToken = command === 'create-token';
    const id = await (isToken ? runCreateApiTokenCommand : runCreateSuperuserCommand)(database, config, operand ?? '');
    if (id !== null) setObject({ type: 'user', id });
    return id === null ? 1 : 0;
  } catch (error) {
    if (!(error instanceof SimilarUsernameError)) throw error;
    printLineToStandardOutput(error.message);
    return 1;
  } finally {
    await database.close();
  }
}

try {
  process.exitCode = await runAdminCommand();
} catch (error) {
  const line = isOperatorCorrectableError(error) ? error.message : describeConnectionError(error);
  if (line === null) throw error;
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
