import { randomBytes } from 'node:crypto';
import type { OutboundClient } from '@switchboard/outbound';
import type { Clock } from '@switchboard/platform';
import { z } from 'zod';
import { VideoCallOAuthClient, type OAuthVideoCallProvider } from './oauth-client.js';

/** Options of {@link WebexClient}, which configure the operator's Webex integration. */
export interface WebexClientOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Base URL of the Webex API and of Webex's OAuth pages, without a trailing slash. */
  readonly apiUrl: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly outbound: OutboundClient;
}

/** Duration of Webex meetings in milliseconds. Webex requires an end time. */
const webexMeetingDurationMs = 40 * 60_000;

const webexMeetingResponseSchema = z.object({ webLink: z.url({ protocol: /^https?$/ }) });

/**
 * Webex client: performs OAuth, and the API call that creates a meeting (https://developer.webex.com/docs/meetings).
 */
export class WebexClient implements OAuthVideoCallProvider {
  readonly name = 'Webex';
  readonly oauth: VideoCallOAuthClient;

  constructor(private readonly options: WebexClientOptions) {
    const { clientId, clientSecret, apiUrl, outbound } = options;
    this.oauth = new VideoCallOAuthClient({
      name: this.name,
      clientId,
      clientSecret,
      authorizeUrl: `${apiUrl}/v1/authorize`,
      tokenUrl: `${apiUrl}/v1/access_token`,
      scope: 'meeting:schedules_read meeting:schedules_write',
      credentialsIn: 'body',
      outbound,
    });
  }

  async createMeeting(accessToken: string): Promise<string> {
    const startMs = this.options.clock.now();
    const meeting = await this.oauth.postJsonWithAccessToken(accessToken, {
      url: `${this.options.apiUrl}/v1/meetings`,
      body: {
        title: 'Webex meeting',
        password: randomBytes(6).toString('hex'),
        start: new Date(startMs).toISOString(),
        end: new Date(startMs + webexMeetingDurationMs).toISOString(),
        enabledAutoRecordMeeting: false,
        allowAnyUserToBeCoHost: false,
      },
      response: webexMeetingResponseSchema,
    });
    return meeting.webLink;
  }
}
