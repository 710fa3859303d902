import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Behavior of {@link VideoServer}: correct responses, or one kind of failure of video-call providers. */
export type Mood = 'well' | 'hanging up' | 'talking nonsense' | 'failing' | 'refusing the app';

const clientId = 'test-app';
const clientSecret = 'test-app-secret';
const bigBlueButtonSecret = 'test-bbb-secret';

/** A server that imitates Zoom, Webex, BigBlueButton, Constructor Groups and Nextcloud Talk. */
export interface VideoServer {
  /** Environment variables with which a chat process uses the fake video-call server. */
  readonly env: Record<string, string>;
  readonly url: string;
  mood: Mood;
  /** The valid OAuth token of the fake Zoom and Webex servers; null after the token was revoked. */
  grant: { access: string; refresh: string } | null;
  /** Bodies of the requests that created meetings at the fake Zoom and Webex. */
  readonly meetings: unknown[];
  /** Form bodies of the OAuth token requests that the fake Zoom and Webex received. */
  readonly grants: URLSearchParams[];
  /** Query parameters of the requests that created BigBlueButton meetings. */
  readonly rooms: URLSearchParams[];
  /**
   * Paths, authorization headers and bodies of the requests that created rooms at Constructor Groups and Nextcloud
   * Talk.
   */
  readonly created: { readonly path: string; readonly authorization: string; readonly body: unknown }[];
  close(): Promise<void>;
}

/** Starts the fake providers. The token endpoints accept `code=good`; a refresh token is valid once, like at Zoom. */
export async function videoServer(): Promise<VideoServer> {
  const state: Pick<VideoServer, 'mood' | 'grant'> = { mood: 'well', grant: null };
  const recorded = {
    meetings: [] as unknown[],
    grants: [] as URLSearchParams[],
    rooms: [] as URLSearchParams[],
    created: [] as VideoServer['created'],
  };
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      if (state.mood === 'hanging up') request.socket.destroy();
      else if (state.mood === 'talking nonsense') response.end('<p>Sorry</p>');
      else if (state.mood === 'failing') response.writeHead(503).end('{"error":"later"}');
      else if (request.url === '/oauth/token' || request.url === '/v1/access_token')
        give(request, new URLSearchParams(body), response);
      else if (request.url === '/v2/users/me/meetings' || request.url === '/v1/meetings') meet(request, body, response);
      else if (request.method === 'POST') createRoom(request, body, response);
      else open(request, response);
    });
  });

  function give(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): void {
    recorded.grants.push(form);
    const isZoom = request.url === '/oauth/token';
    const app = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const isApp = isZoom
      ? request.headers.authorization === app
      : form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    if (!isApp || state.mood === 'refusing the app') {
      return respondWithError(response, 'invalid_client');
    }
    const isValid =
      form.get('grant_type') === 'refresh_token'
        ? form.get('refresh_token') === state.grant?.refresh
        : form.get('code') === 'good' &&
          (form.get('redirect_uri') ?? '').endsWith(`/calls/${isZoom ? 'zoom' : 'webex'}/complete`);
    if (!isValid) return respondWithError(response, 'invalid_grant');
    const number = recorded.grants.length;
    state.grant = { access: `access-secret-${number}`, refresh: `refresh-secret-${number}` };
    const tokens = { access_token: state.grant.access, refresh_token: state.grant.refresh };
    response.end(JSON.stringify({ ...tokens, token_type: 'bearer', expires_in: 3600, scope: 'meeting:write' }));
  }

  function meet(request: IncomingMessage, body: string, response: ServerResponse): void {
    if (state.grant === null || request.headers.authorization !== `Bearer ${state.grant.access}`) {
      response.writeHead(401).end('{"code":124,"message":"Invalid access token"}');
      return;
    }
    recorded.meetings.push(JSON.parse(body));
    const number = recorded.meetings.length;
    const urls = { join_url: `https://zoom.test/j/${number}`, webLink: `https://webex.test/m/${number}` };
    response.writeHead(201).end(JSON.stringify(urls));
  }

  function createRoom(request: IncomingMessage, body: string, response: ServerResponse): void {
    const { url: path = '', headers } = request;
    recorded.created.push({ path, authorization: headers.authorization ?? '', body: JSON.parse(body) });
    const room = { url: 'https://groups.test/room/1', ocs: { data: { token: 'abc123' } } };
    response.writeHead(201).end(JSON.stringify(room));
  }

  function open(request: IncomingMessage, response: ServerResponse): void {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const isSigned = path === '/bigbluebutton/api/create' && isChecked('create', query);
    if (isSigned) recorded.rooms.push(new URLSearchParams(query));
    const fault = '<returncode>FAILED</returncode><messageKey>checksumError</messageKey>';
    response.end(`<response>${isSigned ? '<returncode>SUCCESS</returncode>' : fault}</response>`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return Object.assign(state, {
    ...recorded,
    url,
    env: {
      VIDEO_ZOOM_CLIENT_ID: clientId,
      VIDEO_ZOOM_CLIENT_SECRET: clientSecret,
      VIDEO_ZOOM_OAUTH_URL: url,
      VIDEO_ZOOM_API_URL: url,
      VIDEO_WEBEX_CLIENT_ID: clientId,
      VIDEO_WEBEX_CLIENT_SECRET: clientSecret,
      VIDEO_WEBEX_API_URL: url,
      BIG_BLUE_BUTTON_URL: `${url}/bigbluebutton/`,
      BIG_BLUE_BUTTON_SECRET: bigBlueButtonSecret,
      CONSTRUCTOR_GROUPS_URL: `${url}/groups`,
      CONSTRUCTOR_GROUPS_ACCESS_KEY: 'groups-key',
      CONSTRUCTOR_GROUPS_SECRET_KEY: 'groups-secret',
      NEXTCLOUD_SERVER: `${url}/cloud/`,
      NEXTCLOUD_TALK_USERNAME: 'talk',
      NEXTCLOUD_TALK_PASSWORD: 'talk-secret',
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** Returns true if the query of a BigBlueButton request has a valid checksum. */
export function isChecked(call: 'create' | 'join', query: string): boolean {
  const [signed = '', checksum] = query.split('&checksum=');
  return checksum === createHash('sha256').update(`${call}${signed}${bigBlueButtonSecret}`).digest('hex');
}

function respondWithError(response: ServerResponse, error: string): void {
  response.writeHead(error === 'invalid_client' ? 401 : 400).end(JSON.stringify({ error, reason: 'no' }));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
