import { randomBytes } from 'node:crypto';
import type { OutboundClient } from '@switchboard/outbound';
import type { Clock } from '@switchboard/platform';
import { z } from 'zod';
import { OAuthClient, type OAuthProvider } from './oauth-client.js';

/** Options of {@link WebexClient}, which configure the operator's Webex integration. */
export interface WebexOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Base URL of the Webex API and of Webex's OAuth pages, without a trailing slash. */
  readonly apiUrl: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly outbound: OutboundClient;
}

/** Duration of Webex meetings in milliseconds. Webex requires an end time. */
const webexMeetingDurationMs = 40 * 60_000;

const webexMeetingBody = z.object({ webLink: z.url({ protocol: /^https?$/ }) });

/**
 * Webex client: performs OAuth, and the API call that creates a meeting (https://developer.webex.com/docs/meetings).
 */
export class WebexClient implements OAuthProvider {
  readonly name = 'Webex';
  readonly oauth: OAuthClient;

  constructor(private readonly options: WebexOptions) {
    const { clientId, clientSecret, apiUrl, outbound } = options;
    this.oauth = new OAuthClient({
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
    const meeting = await this.oauth.post(accessToken, {
      url: `${this.options.apiUrl}/v1/meetings`,
      body: {
        title: 'Webex meeting',
        password: randomBytes(6).toString('hex'),
        start: new Date(startMs).toISOString(),
        end: new Date(startMs + webexMeetingDurationMs).toISOString(),
        enabledAutoRecordMeeting: false,
        allowAnyUserToBeCoHost: false,
      },
      response: webexMeetingBody,
    });
    return meeting.webLink;
  }
}
