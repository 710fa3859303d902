import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  RedisCredentialInvalidations,
  requireStoredKeys,
  runSecretsCommand,
  secretsCommandUsage,
  verifyStoredKeys,
} from '@switchboard/auth';
import {
  backupCommandNames,
  backupCommandLineOptions,
  backupCommandUsage,
  createDatabase,
  runBackupCommand,
} from '@switchboard/database';
import { createLogger, describeConnectionError, readConfigOrExit } from '@switchboard/platform';
import { connectRedis } from '@switchboard/queue';
import { backedUpInventory } from './backed-up-inventory.js';
import { countOutdatedPaths, rebuildCablePaths } from './cable-paths/index.js';
import { type InventoryConfig, readConfig } from './config.js';
import { credentialChannel } from './open-inventory.js';
import { inventorySchema, isOperatorFaultError } from './migrate.js';
import { type InventoryDatabase, openPrisma } from './prisma-client.js';
import { createServiceKeys } from './secrets/encryption-key-ring.js';
import { inventorySecretColumns } from './secrets/stored-secrets.js';
import { resetSuperuser, SimilarUsernameError } from './users/create-superuser.js';
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
${secretsCommandUsage}`;

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

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runCreateSuperuser(database: InventoryDatabase, config: InventoryConfig, name: string): Promise<void> {
  const password = values.password ?? randomBytes(18).toString('base64url');
  const redis = connectRedis(config.REDIS_URL, 'commands', adminLogger);
  const invalidations = new RedisCredentialInvalidations({
    redis,
    channel: credentialChannel(config),
    logger: adminLogger,
  });
  try {
    await resetSuperuser({ database, invalidations }, name, password);
  } finally {
    invalidations.close();
    redis.disconnect();
  }
  printLine(`The superuser ${name} is ready.`);
  if (values.password === undefined) printLine(`Password: ${password}`);
}

async function runCreateToken(database: InventoryDatabase, config: InventoryConfig, name: string): Promise<boolean> {
  const { pepper } = createServiceKeys(config);
  const value = generateTokenToStore();
  const made = await database.inTransaction(async (tx) => {
    const user = await tx.prisma.user.findUnique({ where: { username: name }, select: { id: true } });
    if (user === null) return false;
    await addTokenOfUser(tx, pepper, { userId: Number(user.id), value, description: values.description });
    return true;
  });
  printLine(made ? `Token of ${name}, printed only once: ${value}` : `There is no user ${name}.`);
  return made;
}

async function runCheckPaths(database: InventoryDatabase): Promise<number> {
  const { obsolete, missing } = await countOutdatedPaths(database);
  printLine(`${obsolete} stored cable paths lead elsewhere, and ${missing} are missing.`);
  return obsolete + missing === 0 ? 0 : 1;
}

async function runRebuildPaths(database: InventoryDatabase): Promise<number> {
  const { obsolete, missing } = await rebuildCablePaths(database);
  printLine(`Removed ${obsolete} cable paths and stored ${missing}.`);
  return 0;
}

function runSecrets(database: InventoryDatabase, config: InventoryConfig, action: string | undefined): Promise<number> {
  const { json: isJson = false, yes: isConfirmed = false, key, pepper } = values;
  const keys = createServiceKeys(config);
  const options = { database: database.background('secrets'), keys, stored: inventorySecretColumns, print: printLine };
  return runSecretsCommand(options, { action, isJson, key, pepper, isConfirmed });
}

async function runAdminCommand(): Promise<number> {
  const [command, name] = positionals;
  const ofUser = command === 'create-superuser' || command === 'create-token';
  const ofPaths = command === 'check-paths' || command === 'rebuild-paths';
  const backupCommand = backupCommandNames.find((known) => known === command);
  const isWithoutUser = ofPaths || ['migrate', 'secrets'].includes(command ?? '') || backupCommand !== undefined;
  const isKnown = isWithoutUser || (ofUser && name !== undefined);
  if (values.help === true || !isKnown) {
    printLine(adminUsage);
    return values.help === true ? 0 : 2;
  }
  const config = readConfigOrExit(readConfig);
  const schema = inventorySchema(config);
  if (command === 'migrate') {
    return schema.runMigrateCommand({
      isStatus: values.status === true,
      isJson: values.json === true,
      print: printLine,
    });
  }
  if (backupCommand !== undefined) {
    return runBackupCommand(backedUpInventory(config), backupCommand, { ...values, print: printLine });
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
    if (command === 'secrets') return await runSecrets(database, config, name);
    const checked = database.background('check of keys');
    if (ofPaths) await verifyStoredKeys(checked, createServiceKeys(config));
    else await requireStoredKeys(checked, createServiceKeys(config), inventorySecretColumns);
    if (command === 'check-paths') return await runCheckPaths(database);
    if (command === 'rebuild-paths') return await runRebuildPaths(database);
    if (name === undefined) return 2;
    if (command === 'create-token') return (await runCreateToken(database, config, name)) ? 0 : 1;
    await runCreateSuperuser(database, config, name);
    return 0;
  } catch (error) {
    if (!(error instanceof SimilarUsernameError)) throw error;
    printLine(error.message);
    return 1;
  } finally {
    await database.close();
  }
}

try {
  process.exitCode = await runAdminCommand();
} catch (error) {
  const line = isOperatorFaultError(error) ? error.message : describeConnectionError(error);
  if (line === null) throw error;
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
