import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';

/** User id of spectators, who read an organization without an account. No account has this id. */
const spectatorId = 0;

/**
 * Returns the actor for a reader without an account, in a realm that allows spectators (docs/contract/chat.md 2,
 * `pub`). Treats the spectator as a guest without subscriptions who sees no email addresses.
 */
export function createSpectatorActor(realm: { readonly id: number; readonly fakeEmailDomain: string }): ChatActor {
  return {
    id: spectatorId,
    kind: 'user',
    realm: String(realm.id),
    realmId: realm.id,
    role: userRoleNumbers.guest,
    deliveryEmail: '',
    fakeEmailDomain: realm.fakeEmailDomain,
  };
}

/** Returns true if the viewer has no account. */
export function isSpectator(viewer: { readonly id: number }): boolean {
  return viewer.id === spectatorId;
}
