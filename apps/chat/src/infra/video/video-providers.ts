import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OutboundClient } from '@switchboard/outbound';
import type { Clock } from '@switchboard/platform';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN } from '../../tokens.js';
import { BigBlueButtonClient } from './big-blue-button-client.js';
import { ConstructorGroupsClient } from './constructor-groups-client.js';
import { NextcloudTalkClient } from './nextcloud-talk-client.js';
import {
  isBigBlueButtonConfigured,
  isConstructorGroupsConfigured,
  isNextcloudTalkConfigured,
  isWebexConfigured,
  isZoomConfigured,
} from './video-provider-choice.js';
import type { VideoConfig } from './video-env.js';
import { WebexClient } from './webex-client.js';
import { ZoomClient } from './zoom-client.js';

/**
 * Time limit of a request to a video-call provider in milliseconds. The limit is short, because a user waits for the
 * response.
 */
const videoProviderRequestTimeoutMs = 10_000;

/**
 * Clients of the video-call providers to which the service sends requests. A client is null if the operator has not
 * configured the provider.
 */
@Injectable()
export class VideoCallProviderClients implements OnApplicationShutdown {
  readonly zoom: ZoomClient | null;
  readonly webex: WebexClient | null;
  readonly bigBlueButton: BigBlueButtonClient | null;
  readonly constructorGroups: ConstructorGroupsClient | null;
  readonly nextcloudTalk: NextcloudTalkClient | null;
  readonly #outbound: OutboundClient;

  constructor(
    @Inject(CHAT_CONFIG_TOKEN) config: VideoConfig,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
  ) {
    // These hosts are allowed in any network, because the operator configures them and users cannot influence them.
    const named = [
      config.VIDEO_ZOOM_OAUTH_URL,
      config.VIDEO_ZOOM_API_URL,
      config.VIDEO_WEBEX_API_URL,
      config.BIG_BLUE_BUTTON_URL,
      config.CONSTRUCTOR_GROUPS_URL,
      config.NEXTCLOUD_SERVER,
    ];
    const allowHosts = named.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
    this.#outbound = new OutboundClient({
      policy: { allowLoopback: false, allowPrivate: false, allowHosts, allowNetworks: [] },
      maxRedirects: 0,
      totalTimeoutMs: videoProviderRequestTimeoutMs,
    });
    this.zoom = isZoomConfigured(config) ? this.#zoom(config) : null;
    this.webex = isWebexConfigured(config) ? this.#webex(config) : null;
    this.bigBlueButton = isBigBlueButtonConfigured(config) ? this.#bigBlueButton(config) : null;
    this.constructorGroups = isConstructorGroupsConfigured(config) ? this.#constructorGroups(config) : null;
    this.nextcloudTalk = isNextcloudTalkConfigured(config) ? this.#nextcloudTalk(config) : null;
  }

  /** Waits for running requests to the video-call providers. */
  onApplicationShutdown(): Promise<void> {
    return this.#outbound.close();
  }

  #zoom(config: VideoConfig): ZoomClient {
    return new ZoomClient({
      clientId: config.VIDEO_ZOOM_CLIENT_ID,
      clientSecret: config.VIDEO_ZOOM_CLIENT_SECRET,
      oauthUrl: config.VIDEO_ZOOM_OAUTH_URL,
      apiUrl: config.VIDEO_ZOOM_API_URL,
      outbound: this.#outbound,
    });
  }

  #webex(config: VideoConfig): WebexClient {
    return new WebexClient({
      clientId: config.VIDEO_WEBEX_CLIENT_ID,
      clientSecret: config.VIDEO_WEBEX_CLIENT_SECRET,
      apiUrl: config.VIDEO_WEBEX_API_URL,
      clock: this.clock,
      outbound: this.#outbound,
    });
  }

  #bigBlueButton(config: VideoConfig): BigBlueButtonClient {
    return new BigBlueButtonClient({
      url: config.BIG_BLUE_BUTTON_URL ?? '',
      secret: config.BIG_BLUE_BUTTON_SECRET,
      outbound: this.#outbound,
    });
  }
  #constructorGroups(config: VideoConfig): ConstructorGroupsClient {
    return new ConstructorGroupsClient({
      url: config.CONSTRUCTOR_GROUPS_URL ?? '',
      accessKey: config.CONSTRUCTOR_GROUPS_ACCESS_KEY,
      secretKey: config.CONSTRUCTOR_GROUPS_SECRET_KEY,
      outbound: this.#outbound,
    });
  }

  #nextcloudTalk(config: VideoConfig): NextcloudTalkClient {
    return new NextcloudTalkClient({
      url: config.NEXTCLOUD_SERVER ?? '',
      username: config.NEXTCLOUD_TALK_USERNAME,
      password: config.NEXTCLOUD_TALK_PASSWORD,
      outbound: this.#outbound,
    });
  }
}
