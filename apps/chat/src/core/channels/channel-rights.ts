import type { ActorRights } from '../access/actor-rights.js';
import { channelPermissionSettings } from '../access/permission-settings.js';
import { chatErrors } from '../../errors.js';
import type { LockedChannel } from './lock-channels.repository.js';
import type { ChannelPermission } from './wire-channel.js';

/**
 * Rights of one acting user (actor) on a channel that the transaction has locked (docs/contract/chat.md 5.3 and 6.4).
 */
export class ChannelRights {
  constructor(
    private readonly channel: LockedChannel,
    private readonly rights: ActorRights,
    /** True if the actor subscribes to the channel. */
    readonly isSubscribed: boolean,
  ) {}

  /** Returns true if the actor has the given permission of the channel. */
  hasPermission(permission: ChannelPermission): boolean {
    return this.rights.hasPermission(this.channel[`${permission}_id`], channelPermissionSettings[permission]);
  }

  /** True if the actor can see the channel and the list of its subscribers. */
  get canSeeChannel(): boolean {
    return (
      this.canReadMessages ||
      this.rights.isAdmin ||
      this.hasPermissionToSubscribe ||
      this.hasPermission('can_administer_channel_group')
    );
  }

  /**
   * True if the actor can read the channel's messages. Includes messages from before a subscription if the channel's
   * history is shared.
   */
  get canReadMessages(): boolean {
    const { is_private: isPrivate, is_web_public: isWebPublic, history_public_to_subscribers: isShared } = this.channel;
    if (this.isSubscribed || isWebPublic) return true;
    return !this.rights.isGuest && (!isPrivate || (isShared && this.hasPermissionToSubscribe));
  }

  /** True if the actor can subscribe to the channel. */
  get canSubscribe(): boolean {
    if (this.isSubscribed || this.channel.is_web_public) return true;
    return !this.rights.isGuest && (!this.channel.is_private || this.hasPermissionToSubscribe);
  }

  /** True if the actor can subscribe other users to the channel. */
  get canAddSubscribers(): boolean {
    if (this.rights.isGuest || !this.canSubscribe) return false;
    return (
      this.hasPermission('can_add_subscribers_group') ||
      this.canAdminister ||
      ((!this.channel.is_private || this.isSubscribed) && this.rights.hasRealmPermission('can_add_subscribers_group'))
    );
  }

  /** True if the actor can unsubscribe other users from the channel. */
  get canRemoveSubscribers(): boolean {
    return this.canSeeChannel && (this.hasPermission('can_remove_subscribers_group') || this.canAdminister);
  }

  /** True if the actor may administer the channel. Changing the channel's privacy additionally requires read access. */
  get canAdminister(): boolean {
    return this.rights.isAdmin || this.hasPermission('can_administer_channel_group');
  }

  /**
   * Requires that the actor may administer the channel.
   *
   * @throws ApplicationError CANNOT_ADMINISTER_CHANNEL
   */
  requireChannelAdministrator(): void {
    if (!this.canAdminister) throw chatErrors.create('CANNOT_ADMINISTER_CHANNEL');
  }

  private get hasPermissionToSubscribe(): boolean {
    return this.hasPermission('can_add_subscribers_group') || this.hasPermission('can_subscribe_group');
  }
}
