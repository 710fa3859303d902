import { parseArgs } from 'node:util';
import { ConfigError, createLogger } from '@switchboard/platform';
import { AdminError } from './app/admin/admin-error.js';
import { createOwner, grants, resetPassword, setGrant, setRateLimits } from './app/admin/accounts.js';
import { describeDeadLetters } from './app/admin/list-dead-letters.js';
import { createRealm, setRealmUrl } from './app/admin/create-realm.js';
import { readConfig } from './app/environment.js';
import { migrate } from './migrate.js';
import { type ChatRuntime, closeRuntime, createRuntime } from './app/runtime.js';

const usage = `Commands of the chat service:

  create-realm   --name <name> --host <host> [--url <url>] [--string-id <id>] [--description <text>]
  set-url        --url <url> [--realm <id>]
  create-owner   --email <address> --full-name <name> [--password <password>] [--realm <id>]
  set-grant      --email <address> --grant ${grants.join('|')} [--value true|false] [--realm <id>]
  set-rate-limit --email <address> --rules <seconds:count,...>|off|usual [--realm <id>]
  reset-password --email <address> [--password <password>] [--realm <id>]
  list-set-aside

--url is the scheme, host and port that links to the organization begin with, such as https://chat.example.com:8443.
A password that is not given is made up and printed once. --realm is needed where there are several organizations.
`;

const options = {
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
  help: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parse>['values'];

function parse() {
  return parseArgs({ options, allowPositionals: true });
}

/** An admin command: runs with the runtime and the given options, and returns the text to print. */
type Command = (runtime: ChatRuntime, given: Options) => Promise<string>;

const commands: Readonly<Record<string, Command>> = {
  'create-realm': async (runtime, given) => {
    const host = required(given.host, 'host');
    const name = required(given.name, 'name');
    const stringId = given['string-id'] ?? host.split('.', 1)[0] ?? host;
    await createRealm(runtime, { stringId, name, host, publicUrl: given.url, description: given.description ?? '' });
    return `Made ${name} (${stringId}). Next: create-owner --email <address> --full-name <name>`;
  },
  'list-set-aside': (runtime) => describeDeadLetters(runtime.outbox),
  'set-url': async (runtime, given) => {
    const url = required(given.url, 'url');
    await setRealmUrl(runtime, { realm: given.realm, url });
    return `Links to the organization begin with ${url}`;
  },
  'create-owner': async (runtime, given) => {
    const email = required(given.email, 'email');
    const fullName = required(given['full-name'], 'full-name');
    const password = await createOwner(runtime, { realm: given.realm, email, fullName, password: given.password });
    return `Made the owner ${email}${given.password === undefined ? `, password: ${password}` : ''}`;
  },
  'set-grant': async (runtime, given) => {
    const email = required(given.email, 'email');
    const grant = grants.find((name) => name === given.grant);
    if (grant === undefined) throw new AdminError(`--grant is one of: ${grants.join(', ')}`);
    const value = booleanOption(given.value);
    await setGrant(runtime, { realm: given.realm, email, grant, value });
    return `${email}: ${grant} is ${value}`;
  },
  'set-rate-limit': async (runtime, given) => {
    const email = required(given.email, 'email');
    const rules = required(given.rules, 'rules');
    await setRateLimits(runtime, { realm: given.realm, email, rules });
    return `${email}: rate limits are ${rules}`;
  },
  'reset-password': async (runtime, given) => {
    const email = required(given.email, 'email');
    const password = await resetPassword(runtime, { realm: given.realm, email, password: given.password });
    return `${email} has a new password${given.password === undefined ? `: ${password}` : ''}. Its sessions are ended.`;
  },
};

/** Runs one command on the configured database, after migrating it. */
async function main(): Promise<void> {
  const { values, positionals } = parse();
  const [name = ''] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || values.help === true) {
    process.stdout.write(usage);
    process.exitCode = values.help === true || name === '' ? 0 : 1;
    return;
  }
  const config = readConfig();
  await migrate(config.DATABASE_URL, () => {}, config.MIGRATION_LOCK_TIMEOUT_MS);
  const runtime = createRuntime(config, createLogger({ level: 'silent', name: 'chat-admin' }));
  try {
    process.stdout.write(`${await command(runtime, values)}\n`);
  } finally {
    await closeRuntime(runtime);
  }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value.trim() === '') throw new AdminError(`--${name} is missing.\n\n${usage}`);
  return value.trim();
}

function booleanOption(value: string | undefined): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false') throw new AdminError('--value is true or false.');
  return value !== 'false';
}

/** Returns only the message of an error that the operator can correct, and the whole error otherwise. */
function explain(error: unknown): string {
  const isMistake =
    error instanceof AdminError ||
    error instanceof ConfigError ||
    (error instanceof Error && String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS'));
  if (isMistake) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
});
