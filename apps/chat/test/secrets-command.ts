import { randomBytes } from 'node:crypto';
import { runSecretsCommand, type SecretsDatabase } from '@switchboard/auth';
import { readChatServiceConfig } from '../src/app/environment.js';
import { chatSecretColumns } from '../src/app/stored-secrets.js';
import { createServiceKeys } from '../src/infra/key-ring.js';

const config = readChatServiceConfig({ NODE_ENV: 'test' });

/** Default encryption keys and peppers of tests, in the format of the environment variables. */
export const defaultKeyVariables = {
  key: config.SECRET_ENCRYPTION_KEYS.map((pair) => pair.join(':')).join(','),
  pepper: config.SECRET_PEPPERS.map((pair) => pair.join(':')).join(','),
};

/** Returns a new encryption key in the format of the environment variable SECRET_ENCRYPTION_KEYS. */
export function createEncryptionKeyEntry(id: string): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

/** Returns a new pepper in the format of the environment variable SECRET_PEPPERS. */
export function newPepper(id: number): string {
  return `${id}:${randomBytes(32).toString('hex')}`;
}

/** Fields of the JSON that the admin command `secrets status --json` prints. */
export interface StatusJson {
  readonly state: string;
  readonly texts: readonly { column: string; keyId: string | null; count: number }[];
  readonly digests: readonly { column: string; pepperId: number | null; count: number; lastUsed: string | null }[];
  readonly inUse: readonly { kind: string; id: string; since: string }[];
  readonly outdatedTexts: number;
  readonly outdatedDigests: number;
  readonly currentPepperSince: string | null;
}

/** Result of an admin command: exit code and printed lines. */
export interface CommandResult {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Runs the admin command `secrets` with the given keys on a test database. */
export class SecretsCommand {
  readonly keys;

  constructor(
    private readonly database: SecretsDatabase,
    readonly env: { readonly SECRET_ENCRYPTION_KEYS: string; readonly SECRET_PEPPERS: string },
  ) {
    this.keys = createServiceKeys(readChatServiceConfig({ NODE_ENV: 'test', ...env }));
  }

  /** Runs the command `secrets` with the given arguments. The callback `onLine` receives each printed line. */
  async run(
    action: string,
    given: { key?: string; pepper?: string; isConfirmed?: boolean } = {},
    onLine?: (line: string) => void,
  ): Promise<CommandResult> {
    const lines: string[] = [];
    const print = (line: string): void => {
      lines.push(line);
      onLine?.(line);
    };
    const { database, keys } = this;
    const options = { database, keys, stored: chatSecretColumns, print };
    const { key, pepper, isConfirmed = true } = given;
    const code = await runSecretsCommand(options, { action, isJson: false, key, pepper, isConfirmed });
    return { code, lines };
  }

  /** Returns the parsed output of the admin command `secrets status --json`. */
  async status(): Promise<StatusJson> {
    let output = '';
    const { database, keys } = this;
    const options = { database, keys, stored: chatSecretColumns, print: (line: string) => void (output += line) };
    await runSecretsCommand(options, {
      action: 'status',
      isJson: true,
      key: undefined,
      pepper: undefined,
      isConfirmed: false,
    });
    return JSON.parse(output) as StatusJson;
  }
}
