import type { OutboundClient } from '@switchboard/outbound';
import { z } from 'zod';
import { VideoCallOAuthClient, type OAuthVideoCallProvider } from './oauth-client.js';

/** Options of {@link ZoomClient}: the operator's Zoom app. */
export interface ZoomClientOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scheme and host of Zoom's OAuth pages, without a trailing slash. */
  readonly oauthUrl: string;
  /** Base URL of Zoom's API. */
  readonly apiUrl: string;
  readonly outbound: OutboundClient;
}

const zoomMeetingResponseSchema = z.object({ join_url: z.url({ protocol: /^https?$/ }) });

/** Zoom client: performs OAuth, and the API call that creates a meeting. */
export class ZoomClient implements OAuthVideoCallProvider {
  readonly name = 'Zoom';
  readonly oauth: VideoCallOAuthClient;

  constructor(private readonly options: ZoomClientOptions) {
    const { clientId, clientSecret, oauthUrl, outbound } = options;
    this.oauth = new VideoCallOAuthClient({
      name: this.name,
      clientId,
      clientSecret,
      authorizeUrl: `${oauthUrl}/oauth/authorize`,
      tokenUrl: `${oauthUrl}/oauth/token`,
      credentialsIn: 'header',
      outbound,
    });
  }

  async createMeeting(accessToken: string, isVideo: boolean): Promise<string> {
    const settings = { host_video: isVideo, participant_video: isVideo };
    const meeting = await this.oauth.postJsonWithAccessToken(accessToken, {
      url: `${this.options.apiUrl}/v2/users/me/meetings`,
      body: { settings, default_password: true },
      response: zoomMeetingResponseSchema,
    });
    return meeting.join_url;
  }
}
