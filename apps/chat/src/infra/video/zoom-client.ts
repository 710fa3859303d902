import type { OutboundClient } from '@switchboard/outbound';
import { z } from 'zod';
import { OAuthClient, type OAuthProvider } from './oauth-client.js';

/** Options of {@link ZoomClient}: the operator's Zoom app. */
export interface ZoomOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scheme and host of Zoom's OAuth pages, without a trailing slash. */
  readonly oauthUrl: string;
  /** Base URL of Zoom's API. */
  readonly apiUrl: string;
  readonly outbound: OutboundClient;
}

const zoomMeetingBody = z.object({ join_url: z.url({ protocol: /^https?$/ }) });

/** Zoom client: performs OAuth, and the API call that creates a meeting. */
export class ZoomClient implements OAuthProvider {
  readonly name = 'Zoom';
  readonly oauth: OAuthClient;

  constructor(private readonly options: ZoomOptions) {
    const { clientId, clientSecret, oauthUrl, outbound } = options;
    this.oauth = new OAuthClient({
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
    const meeting = await this.oauth.post(accessToken, {
      url: `${this.options.apiUrl}/v2/users/me/meetings`,
      body: { settings, default_password: true },
      response: zoomMeetingBody,
    });
    return meeting.join_url;
  }
}
