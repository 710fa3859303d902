import { OutboundError, type OutboundClient, type OutboundRequest, type OutboundResponse } from '@switchboard/outbound';
import { z } from 'zod';
import { CredentialRefusedError, ProviderError } from './provider-errors.js';

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

/** OAuth tokens that a user granted for their Zoom account. */
export interface ZoomGrant {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Remaining lifetime of the access token, in seconds. */
  readonly expiresInSeconds: number;
}

const grantBody = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.coerce.number().min(0),
});
const meetingBody = z.object({ join_url: z.url({ protocol: /^https?$/ }) });
const faultBody = z.object({ error: z.string() });

/** Zoom client: OAuth 2.0 (RFC 6749), and the API call that creates a meeting. */
export class ZoomClient {
  constructor(private readonly options: ZoomOptions) {}

  /** Returns the URL of Zoom's authorization page, which redirects back to `redirectUri`. */
  authorizeUrl(state: string, redirectUri: string): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.options.clientId,
      redirect_uri: redirectUri,
      state,
    });
    return `${this.options.oauthUrl}/oauth/authorize?${query}`;
  }

  /**
   * Exchanges an authorization code for OAuth tokens.
   *
   * @throws CredentialRefusedError for an invalid code; ProviderError
   */
  exchangeCode(code: string, redirectUri: string): Promise<ZoomGrant> {
    return this.#grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  }

  /**
   * Exchanges a refresh token for new OAuth tokens.
   *
   * @throws CredentialRefusedError for a token that was revoked or already used; ProviderError
   */
  refresh(refreshToken: string): Promise<ZoomGrant> {
    return this.#grant({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  /**
   * Creates a Zoom meeting. Returns its URL.
   *
   * @throws CredentialRefusedError, ProviderError
   */
  async createMeeting(accessToken: string, isVideo: boolean): Promise<string> {
    const settings = { host_video: isVideo, participant_video: isVideo };
    const response = await this.#send({
      url: `${this.options.apiUrl}/v2/users/me/meetings`,
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ settings, default_password: true }),
    });
    if (response.status === 401) throw new CredentialRefusedError('Zoom refused an access token');
    return parseZoomResponse(response, meetingBody).join_url;
  }

  async #grant(form: Record<string, string>): Promise<ZoomGrant> {
    const { clientId, clientSecret, oauthUrl } = this.options;
    const response = await this.#send({
      url: `${oauthUrl}/oauth/token`,
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(form).toString(),
    });
    // If Zoom rejects the app itself, the operator must correct this, and users keep their tokens.
    if ((response.status === 400 || response.status === 401) && faultOf(response) !== 'invalid_client') {
      throw new CredentialRefusedError(`Zoom refused a ${form['grant_type']} grant`);
    }
    const body = parseZoomResponse(response, grantBody);
    return { accessToken: body.access_token, refreshToken: body.refresh_token, expiresInSeconds: body.expires_in };
  }

  async #send(request: OutboundRequest): Promise<OutboundResponse> {
    try {
      return await this.options.outbound.request({
        ...request,
        headers: { accept: 'application/json', ...request.headers },
      });
    } catch (error) {
      if (error instanceof OutboundError) throw new ProviderError('Zoom cannot be reached', { cause: error });
      throw error;
    }
  }
}

function faultOf(response: OutboundResponse): string | undefined {
  return faultBody.safeParse(jsonOf(response)).data?.error;
}

/** Parses a response of Zoom. Error messages omit the body, which may contain a token. */
function parseZoomResponse<S extends z.ZodType>(response: OutboundResponse, schema: S): z.output<S> {
  const parsed = schema.safeParse(jsonOf(response));
  if (response.status >= 300 || !parsed.success) {
    throw new ProviderError(`Zoom responded with status ${response.status} and an unexpected body`);
  }
  return parsed.data;
}

function jsonOf(response: OutboundResponse): unknown {
  try {
    return JSON.parse(response.body.toString('utf8'));
  } catch {
    return undefined;
  }
}
