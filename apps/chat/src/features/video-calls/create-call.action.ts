import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { videoCallProviderNumbers } from '../../infra/video/index.js';
import { getRealmRow, type RealmSettings } from '../../core/realms/index.js';
import { BigBlueButtonCallProvider } from './big-blue-button-calls.js';
import type { VideoCallProvider } from './call-provider.js';
import { ConnectedAccountCallCreator } from './connected-account-calls.js';
import { ConstructorGroupsCallProvider } from './constructor-groups-calls.js';
import { NextcloudTalkCallProvider } from './nextcloud-talk-calls.js';
import { JitsiCallProvider } from './jitsi-calls.js';

const defaultVideoCallName = 'Call';

/** Creates video calls (chat-4.21). Needs no transaction, because the provider stores the calls. */
@Injectable()
export class CreateVideoCall {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly accounts: ConnectedAccountCallCreator,
    private readonly bigBlueButton: BigBlueButtonCallProvider,
    private readonly jitsi: JitsiCallProvider,
    private readonly constructorGroups: ConstructorGroupsCallProvider,
    private readonly nextcloudTalk: NextcloudTalkCallProvider,
  ) {}

  /**
   * Creates a video call with the provider that the organization has chosen.
   *
   * @throws ApplicationError BAD_REQUEST, INVALID_ZOOM_TOKEN, INVALID_VIDEO_CALL_PROVIDER_TOKEN
   */
  async createCallOfChosenProvider(actor: ChatActor, isVideo: boolean): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultVideoCallName, isVideo }, (settings) => this.#chosenProvider(settings));
  }

  /**
   * Creates a video call with Zoom.
   *
   * @throws ApplicationError BAD_REQUEST, INVALID_ZOOM_TOKEN
   */
  async createZoomCall(actor: ChatActor, isVideo: boolean): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultVideoCallName, isVideo }, () => this.accounts.createCallProvider('zoom'));
  }

  /**
   * Creates a video call with Webex.
   *
   * @throws ApplicationError BAD_REQUEST, INVALID_VIDEO_CALL_PROVIDER_TOKEN
   */
  async createWebexCall(actor: ChatActor): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultVideoCallName, isVideo: true }, () =>
      this.accounts.createCallProvider('webex'),
    );
  }

  /**
   * Creates a video call with BigBlueButton.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  createBigBlueButtonCall(actor: ChatActor, name: string, isVideo: boolean): Promise<{ url: string }> {
    return this.#create(actor, { name, isVideo }, () => this.bigBlueButton);
  }

  /**
   * Returns the link to the actor's room at Constructor Groups.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async createConstructorGroupsCall(actor: ChatActor, isVideo: boolean): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultVideoCallName, isVideo }, () => this.constructorGroups);
  }

  /**
   * Creates a conversation in Nextcloud Talk.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async createNextcloudTalkCall(actor: ChatActor, name: string): Promise<{ url: string }> {
    rejectBots(actor);
    if (name.trim() === '') throw createBadRequestError('room_name cannot be blank');
    return this.#create(actor, { name, isVideo: true }, () => this.nextcloudTalk);
  }

  async #create(
    actor: ChatActor,
    call: { readonly name: string; readonly isVideo: boolean },
    choose: (settings: RealmSettings) => VideoCallProvider,
  ): Promise<{ url: string }> {
    const { settings } = await getRealmRow(this.database, actor.realmId);
    if (settings.video_chat_provider === videoCallProviderNumbers.disabled) {
      throw createBadRequestError('Video calls are disabled in this organization.');
    }
    return { url: await choose(settings).createCall({ actor, settings, ...call }) };
  }

  /**
   * Returns the video-call provider that the organization has chosen. Jitsi is returned only if the organization or
   * operator has configured a Jitsi server. Clients use the public Jitsi server without this service.
   */
  #chosenProvider(settings: RealmSettings): VideoCallProvider {
    const { video_chat_provider: chosen } = settings;
    if (chosen === videoCallProviderNumbers.bigBlueButton) return this.bigBlueButton;
    if (chosen === videoCallProviderNumbers.constructorGroups) return this.constructorGroups;
    if (chosen === videoCallProviderNumbers.nextcloudTalk) return this.nextcloudTalk;
    if (chosen === videoCallProviderNumbers.webex) return this.accounts.createCallProvider('webex');
    const isJitsi = chosen === videoCallProviderNumbers.jitsi && this.jitsi.getJitsiServerUrl(settings) !== null;
    return isJitsi ? this.jitsi : this.accounts.createCallProvider('zoom');
  }
}
