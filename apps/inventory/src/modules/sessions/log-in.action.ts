import { verifyPassword } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import type { LoginAttempt, LoginAttempts } from '../../auth/login-attempts.js';
import type { NewSession, SessionStore } from '../../auth/session-store.js';

/** Creates a session for a user name and password. */
export class LogIn {
  constructor(
    private readonly parts: {
      readonly database: Tx;
      readonly sessions: SessionStore;
      readonly loginAttempts: LoginAttempts;
      readonly lifetimeSeconds: number;
    },
  ) {}

  /**
   * @param replaced the session that the browser has; it ends, so that one that somebody planted is of no use
   * @returns null when name and password do not belong together, or to nobody who may log in
   * @throws AppError LOGIN_THROTTLED when too many logins have failed
   */
  run(
    { username, ip, password }: LoginAttempt & { readonly password: string },
    replaced: string | undefined,
  ): Promise<NewSession | null> {
    return this.parts.loginAttempts.run({ username, ip }, () => this.logIn(username, password, replaced));
  }

  private async logIn(username: string, password: string, replaced: string | undefined): Promise<NewSession | null> {
    const { database, sessions, lifetimeSeconds } = this.parts;
    const { rows } = await database.query<{ id: number; password: string; active: boolean }>(
      'SELECT id, password, is_active AS active FROM users_user WHERE username = $1',
      [username.replaceAll('\0', '')],
    );
    const [user] = rows;
    // An unknown name takes as long as a wrong password.
    const known = await verifyPassword(password, user?.password);
    if (user === undefined || !known || !user.active) return null;
    return sessions.add(user, lifetimeSeconds, replaced);
  }
}
