import { type ChatActor, role } from '../../infra/http/actor.js';

/** No account has this id. */
const spectatorId = 0;

/**
 * A reader without an account, in a realm that allows it (docs/contract/chat.md 2, `pub`): in every rule a
 * guest who subscribes to nothing, and to whom no person's address is shown.
 */
export function spectatorOf(realm: { readonly id: number; readonly fakeEmailDomain: string }): ChatActor {
  return {
    id: spectatorId,
    kind: 'user',
    realm: String(realm.id),
    realmId: realm.id,
    role: role.guest,
    deliveryEmail: '',
    fakeEmailDomain: realm.fakeEmailDomain,
  };
}

/** Whether nobody is signed in. */
export function isSpectator(viewer: { readonly id: number }): boolean {
  return viewer.id === spectatorId;
}
