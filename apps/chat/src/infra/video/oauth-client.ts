import { OutboundError, type OutboundClient, type OutboundRequest, type OutboundResponse } from '@switchboard/outbound';
import { z } from 'zod';
import { VideoCallCredentialsRejectedError, VideoCallProviderError } from './video-provider-errors.js';

/** The operator's OAuth app at a video-call provider. */
export interface OAuthApp {
  /** Name of the video-call provider, used in error messages. */
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** OAuth scope that the app requests; undefined if the provider does not require a scope. */
  readonly scope?: string;
  /** Place of the app's credentials in a token request: the header or the body (RFC 6749 2.3.1). */
  readonly credentialsIn: 'header' | 'body';
  readonly outbound: OutboundClient;
}

/** OAuth tokens that a user granted for an account at a provider. */
export interface GrantedOAuthTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Remaining lifetime of the OAuth access token, in seconds. */
  readonly expiresInSeconds: number;
}

/** A video-call provider at which users connect their own accounts by OAuth 2.0 (RFC 6749). */
export interface OAuthVideoCallProvider {
  readonly name: string;
  readonly oauth: VideoCallOAuthClient;
  /**
   * Creates a video meeting at the provider. Returns the URL of the meeting.
   *
   * @throws VideoCallCredentialsRejectedError, VideoCallProviderError
   */
  createMeeting(accessToken: string, isVideo: boolean): Promise<string>;
}

const oauthTokenResponseSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.coerce.number().min(0),
});
const oauthErrorResponseSchema = z.object({ error: z.string() });

/**
 * OAuth 2.0 client (RFC 6749) for a video-call provider. Also sends API requests with access tokens to the provider.
 */
export class VideoCallOAuthClient {
  constructor(private readonly app: OAuthApp) {}

  /** Returns the URL of the provider's authorization page, which redirects back to `redirectUri`. */
  createAuthorizationPageUrl(state: string, redirectUri: string): string {
    const { authorizeUrl, clientId, scope } = this.app;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state,
      ...(scope !== undefined && { scope }),
    });
    return `${authorizeUrl}?${query}`;
  }

  /**
   * Exchanges an authorization code for OAuth tokens.
   *
   * @throws VideoCallCredentialsRejectedError for an invalid code; VideoCallProviderError
   */
  exchangeAuthorizationCode(code: string, redirectUri: string): Promise<GrantedOAuthTokens> {
    return this.#grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  }

  /**
   * Exchanges a refresh token for new OAuth tokens.
   *
   * @throws VideoCallCredentialsRejectedError for a token that was revoked or already used; VideoCallProviderError
   */
  exchangeRefreshToken(refreshToken: string): Promise<GrantedOAuthTokens> {
    return this.#grant({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  /**
   * Sends a JSON body to the provider's API with an access token, and parses the response.
   *
   * @throws VideoCallCredentialsRejectedError, VideoCallProviderError
   */
  async postJsonWithAccessToken<S extends z.ZodType>(
    accessToken: string,
    request: { readonly url: string; readonly body: object; readonly response: S },
  ): Promise<z.output<S>> {
    const response = await this.#send({
      url: request.url,
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    });
    if (response.status === 401)
      throw new VideoCallCredentialsRejectedError(`${this.app.name} refused an access token`);
    return this.#parse(response, request.response);
  }

  async #grant(form: Record<string, string>): Promise<GrantedOAuthTokens> {
    const { name, clientId, clientSecret, tokenUrl, credentialsIn } = this.app;
    const inHeader = credentialsIn === 'header';
    const credentials = { client_id: clientId, client_secret: clientSecret };
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const response = await this.#send({
      url: tokenUrl,
      method: 'POST',
      headers: { ...(inHeader && { authorization: basic }), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...form, ...(!inHeader && credentials) }).toString(),
    });
    // If the provider rejects the app itself, the operator must correct this, and users keep their tokens.
    if ((response.status === 400 || response.status === 401) && parseOAuthError(response) !== 'invalid_client') {
      throw new VideoCallCredentialsRejectedError(`${name} refused a ${form['grant_type']} grant`);
    }
    const body = this.#parse(response, oauthTokenResponseSchema);
    return { accessToken: body.access_token, refreshToken: body.refresh_token, expiresInSeconds: body.expires_in };
  }

  async #send(request: OutboundRequest): Promise<OutboundResponse> {
    const { name, outbound } = this.app;
    try {
      return await outbound.request({ ...request, headers: { accept: 'application/json', ...request.headers } });
    } catch (error) {
      if (error instanceof OutboundError)
        throw new VideoCallProviderError(`${name} cannot be reached`, { cause: error });
      throw error;
    }
  }

  /**
   * Parses a response of the video-call provider. Error messages omit the body of the response, which may contain a
   * token.
   */
  #parse<S extends z.ZodType>(response: OutboundResponse, schema: S): z.output<S> {
    const parsed = schema.safeParse(parseOAuthResponseJson(response));
    if (response.status >= 300 || !parsed.success) {
      throw new VideoCallProviderError(
        `${this.app.name} responded with status ${response.status} and an unexpected body`,
      );
    }
    return parsed.data;
  }
}

function parseOAuthError(response: OutboundResponse): string | undefined {
  return oauthErrorResponseSchema.safeParse(parseOAuthResponseJson(response)).data?.error;
}

function parseOAuthResponseJson(response: OutboundResponse): unknown {
  try {
    return JSON.parse(response.body.toString('utf8'));
  } catch {
    return undefined;
  }
}
