import { verifyPassword } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { auditLogin, type LoginOfUser } from '../../audit/audit-login.js';
import type { FailedLoginCounter } from '../../auth/login-attempts.js';
import type { InventoryActor } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import type { ObjectChangeHttpRequest } from '../../engine/write/change-sink.js';
import type { ObjectWriter } from '../../engine/write/object-writer.js';
import { inventoryErrors } from '../../errors.js';
import { lockUserWithVerifiedPassword } from '../../database-locks.js';

/** JSON keys of the response that contains a newly created API token, in order (docs/contract/inventory.md 1.2). */
const tokenResponseKeys = [
  'id',
  'url',
  'display_url',
  'display',
  'version',
  'user',
  'key',
  'created',
  'expires',
  'last_used',
  'enabled',
  'write_enabled',
  'description',
  'allowed_ips',
  'token',
];

/**
 * Returns the errors for missing or invalid fields in a request for an API token. These errors are reported before the
 * password is checked.
 */
function listMissingFieldProblems(body: Readonly<Record<string, unknown>>): Record<string, string[]> {
  return Object.fromEntries(
    ['username', 'password'].flatMap((name) => {
      const value = body[name];
      if (value === undefined) return [[name, ['This field is required.']]];
      if (value === null) return [[name, ['This field may not be null.']]];
      if (typeof value !== 'string') return [[name, ['Not a valid string.']]];
      return value === '' ? [[name, ['This field may not be blank.']]] : [];
    }),
  );
}

/** A user whose password was verified, and the stored hash that the password was compared with. */
interface VerifiedLogin {
  readonly actor: InventoryActor;
  readonly password: string;
}

/** Verifies a user name and password, and creates an API token for the user. */
export class ProvisionApiToken {
  constructor(
    private readonly parts: {
      readonly database: Tx;
      readonly writer: ObjectWriter;
      readonly model: ModelDefinition;
      readonly loginAttempts: FailedLoginCounter;
    },
  ) {}

  /**
   * Creates a token. Returns the JSON text of the token with its secret.
   *
   * @param ip address of the client
   * @throws ApplicationError VALIDATION_FAILED for missing fields, INVALID_LOGIN, LOGIN_THROTTLED
   */
  async run(
    body: Readonly<Record<string, unknown>>,
    origin: { request: ObjectChangeHttpRequest; base: string },
    ip: string,
  ): Promise<string> {
    const missing = listMissingFieldProblems(body);
    if (Object.keys(missing).length > 0)
      throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: missing } });
    const username = String(body['username']);
    const found = await auditLogin('token', (login) => {
      const verify = (): ReturnType<typeof this.verifyUserPassword> =>
        this.verifyUserPassword(login, username, String(body['password']));
      return this.parts.loginAttempts.attemptLoginAndCountFailures({ username, ip }, verify);
    });
    if (found === null) throw inventoryErrors.create('INVALID_LOGIN');
    const token: unknown = JSON.parse(await this.createToken(found, body, origin));
    const shown = new Map<string, unknown>(Object.entries(Object(token)));
    return JSON.stringify(Object.fromEntries(tokenResponseKeys.map((key) => [key, shown.get(key) ?? null])));
  }

  /** Creates a token of a verified user. Returns the JSON text of the token with its secret. */
  private async createToken(
    { actor, password }: VerifiedLogin,
    body: Readonly<Record<string, unknown>>,
    origin: { request: ObjectChangeHttpRequest; base: string },
  ): Promise<string> {
    const [made] = await this.parts.writer.createObjects(
      { model: this.parts.model, actor, grant: { where: null }, ...origin },
      async (tx) => {
        await lockUnchangedUser(tx, actor.id, password);
        return [{ ...body, user: actor.id }];
      },
      { kind: 'one' },
    );
    return made?.body ?? '{}';
  }

  /** Verifies a password. Returns null for a failed login. */
  private async verifyUserPassword(
    login: LoginOfUser,
    username: string,
    password: string,
  ): Promise<VerifiedLogin | null> {
    const { rows } = await this.parts.database.query<{
      id: number;
      password: string;
      is_active: boolean;
      is_superuser: boolean;
    }>('SELECT id, password, is_active, is_superuser FROM users_user WHERE username = $1', [
      username.replaceAll('\0', ''),
    ]);
    const [user] = rows;
    login.userId = user?.id ?? null;
    const known = await verifyPassword(password, user?.password);
    if (user === undefined || !known || !user.is_active) return null;
    const rights = { isSuperuser: user.is_superuser, mayWrite: true, permissions: [] };
    return { actor: { id: user.id, kind: 'user', username, ...rights }, password: user.password };
  }
}

/**
 * Locks the row of a user until the transaction ends, and checks again that the login is valid. While the password was
 * verified, another request may have changed the password or deactivated the user.
 *
 * @throws ApplicationError INVALID_LOGIN if the user's stored hash is no longer `hash`, or the user is inactive
 */
async function lockUnchangedUser(tx: Tx, userId: number, hash: string): Promise<void> {
  if (!(await lockUserWithVerifiedPassword(tx, userId, hash))) throw inventoryErrors.create('INVALID_LOGIN');
}
