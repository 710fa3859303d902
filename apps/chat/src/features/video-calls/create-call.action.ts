import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { DATABASE } from '../../tokens.js';
import { videoProvider } from '../../infra/video/index.js';
import { getRealmRow, type RealmSettings } from '../../core/realms/index.js';
import { BigBlueButtonCalls } from './big-blue-button-calls.js';
import type { CallProvider } from './call-provider.js';
import { ConnectedAccountCalls } from './connected-account-calls.js';
import { ConstructorGroupsCalls } from './constructor-groups-calls.js';
import { NextcloudTalkCalls } from './nextcloud-talk-calls.js';
import { JitsiCalls } from './jitsi-calls.js';

/** Default name of a video call. */
const defaultMeetingName = 'Call';

/** Creates video calls (chat-4.21). Needs no transaction, because the provider stores the calls. */
@Injectable()
export class CreateCall {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly accounts: ConnectedAccountCalls,
    private readonly bigBlueButton: BigBlueButtonCalls,
    private readonly jitsi: JitsiCalls,
    private readonly constructorGroups: ConstructorGroupsCalls,
    private readonly nextcloudTalk: NextcloudTalkCalls,
  ) {}

  /**
   * Creates a video call with the provider that the organization has chosen.
   *
   * @throws AppError BAD_REQUEST, INVALID_ZOOM_TOKEN, INVALID_VIDEO_CALL_PROVIDER_TOKEN
   */
  async createCallOfChosenProvider(actor: ChatActor, isVideo: boolean): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultMeetingName, isVideo }, (settings) => this.#chosenProvider(settings));
  }

  /**
   * Creates a video call with Zoom.
   *
   * @throws AppError BAD_REQUEST, INVALID_ZOOM_TOKEN
   */
  async byZoom(actor: ChatActor, isVideo: boolean): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultMeetingName, isVideo }, () => this.accounts.createForProvider('zoom'));
  }

  /**
   * Creates a video call with Webex.
   *
   * @throws AppError BAD_REQUEST, INVALID_VIDEO_CALL_PROVIDER_TOKEN
   */
  async byWebex(actor: ChatActor): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultMeetingName, isVideo: true }, () =>
      this.accounts.createForProvider('webex'),
    );
  }

  /**
   * Creates a video call with BigBlueButton.
   *
   * @throws AppError BAD_REQUEST
   */
  byBigBlueButton(actor: ChatActor, name: string, isVideo: boolean): Promise<{ url: string }> {
    return this.#create(actor, { name, isVideo }, () => this.bigBlueButton);
  }

  /**
   * Returns the link to the actor's room at Constructor Groups.
   *
   * @throws AppError BAD_REQUEST
   */
  async byConstructorGroups(actor: ChatActor, isVideo: boolean): Promise<{ url: string }> {
    rejectBots(actor);
    return this.#create(actor, { name: defaultMeetingName, isVideo }, () => this.constructorGroups);
  }

  /**
   * Creates a conversation in Nextcloud Talk.
   *
   * @throws AppError BAD_REQUEST
   */
  async byNextcloudTalk(actor: ChatActor, name: string): Promise<{ url: string }> {
    rejectBots(actor);
    if (name.trim() === '') throw createBadRequestError('room_name cannot be blank');
    return this.#create(actor, { name, isVideo: true }, () => this.nextcloudTalk);
  }

  async #create(
    actor: ChatActor,
    call: { readonly name: string; readonly isVideo: boolean },
    choose: (settings: RealmSettings) => CallProvider,
  ): Promise<{ url: string }> {
    const { settings } = await getRealmRow(this.database, actor.realmId);
    if (settings.video_chat_provider === videoProvider.disabled) {
      throw createBadRequestError('Video calls are disabled in this organization.');
    }
    return { url: await choose(settings).createCall({ actor, settings, ...call }) };
  }

  /**
   * Returns the video-call provider that the organization has chosen. Jitsi is returned only if the organization or
   * operator has configured a Jitsi server. Clients use the public Jitsi server without this service.
   */
  #chosenProvider(settings: RealmSettings): CallProvider {
    const { video_chat_provider: chosen } = settings;
    if (chosen === videoProvider.bigBlueButton) return this.bigBlueButton;
    if (chosen === videoProvider.constructorGroups) return this.constructorGroups;
    if (chosen === videoProvider.nextcloudTalk) return this.nextcloudTalk;
    if (chosen === videoProvider.webex) return this.accounts.createForProvider('webex');
    const isJitsi = chosen === videoProvider.jitsi && this.jitsi.getServerOfRealm(settings) !== null;
    return isJitsi ? this.jitsi : this.accounts.createForProvider('zoom');
  }
}
