import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createAvatarUrl } from '../../core/access/avatar-url.js';
import { createSpectatorActor } from '../../core/access/spectator-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { chatErrors } from '../../errors.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  findRealmThatAllowsSpectators,
  createNoSuchUserError,
  parseUserPathReference,
} from '../../core/users/index.js';
import { getAvatarStoragePath, type AvatarSizeName } from './create-avatar-picture.js';

/** Looks up the avatar of an account (docs/contract/chat.md 1.1). */
@Injectable()
export class FindAvatarUrl {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /**
   * Returns the URL of an account's avatar. The account is given by its user id or email address.
   * @param signedIn the signed-in user; null for a client without an account
   * @throws ApplicationError BAD_REQUEST `No such user`, also if the viewer may not see the account. UNAUTHORIZED for a
   * client without an account, unless the realm allows spectators.
   */
  async findAvatarUrl(
    signedIn: ChatActor | null,
    host: string,
    reference: string,
    size: AvatarSizeName,
  ): Promise<string> {
    const viewer = signedIn ?? (await this.#spectator(host));
    const named = parseUserPathReference(reference);
    const user = (await findUsers(this.database, viewer, [named], { lock: false })).get(named);
    if (user === undefined) throw createNoSuchUserError();
    const { rows } = await this.database.query<{ avatar_key: string | null }>(
      'SELECT avatar_key FROM users WHERE id = $1',
      [user.id],
    );
    const key = rows[0]?.avatar_key ?? null;
    if (key !== null) return `/user_avatars/${getAvatarStoragePath(viewer.realmId, key, size)}`;
    const url = createAvatarUrl(viewer, { ...user, avatarSource: 'G' }, false) ?? '';
    return size === 'medium' ? `${url}&s=500` : url;
  }

  async #spectator(host: string): Promise<ChatActor> {
    const realm = await findRealmThatAllowsSpectators(this.database, host);
    if (realm === null) throw chatErrors.create('UNAUTHORIZED');
    return createSpectatorActor(realm);
  }
}
