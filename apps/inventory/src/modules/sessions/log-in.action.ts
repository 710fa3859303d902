import { verifyPassword } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { auditLogin, type LoginOfUser } from '../../audit/audit-login.js';
import type { LoginAttempt, FailedLoginCounter } from '../../auth/login-attempts.js';
import type { NewSessionCookieValues, SessionStore } from '../../auth/session-store.js';

/** Verifies a user name and password, and creates a browser session for the user. */
export class LogIn {
  constructor(
    private readonly parts: {
      readonly database: Tx;
      readonly sessions: SessionStore;
      readonly loginAttempts: FailedLoginCounter;
      readonly lifetimeSeconds: number;
    },
  ) {}

  /**
   * @param replaced session id of the browser's cookie. That session ends, so that an id planted by an attacker is
   * useless.
   * @returns null if the user name or password is wrong or the user is inactive
   * @throws ApplicationError LOGIN_THROTTLED after too many failed logins
   */
  run(
    { username, ip, password }: LoginAttempt & { readonly password: string },
    replaced: string | undefined,
  ): Promise<NewSessionCookieValues | null> {
    return auditLogin('session', (login) =>
      this.parts.loginAttempts.attemptLoginAndCountFailures({ username, ip }, () =>
        this.verifyAndCreateSession(login, { username, password, replaced }),
      ),
    );
  }

  private async verifyAndCreateSession(
    login: LoginOfUser,
    sent: { readonly username: string; readonly password: string; readonly replaced: string | undefined },
  ): Promise<NewSessionCookieValues | null> {
    const { username, password, replaced } = sent;
    const { database, sessions, lifetimeSeconds } = this.parts;
    const { rows } = await database.query<{ id: number; password: string; active: boolean }>(
      'SELECT id, password, is_active AS active FROM users_user WHERE username = $1',
      [username.replaceAll('\0', '')],
    );
    const [user] = rows;
    login.userId = user?.id ?? null;
    // For an unknown name the check takes as long as for a wrong password.
    const known = await verifyPassword(password, user?.password);
    if (user === undefined || !known || !user.active) return null;
    return sessions.startSession(user, lifetimeSeconds, replaced);
  }
}
