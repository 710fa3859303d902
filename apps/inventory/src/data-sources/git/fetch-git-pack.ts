import {
  type OutboundClient,
  type OutboundRequest,
  type OutboundResponse,
  ResponseTooLargeError,
} from '@switchboard/outbound';
import type { DataSourceSyncLimits } from '../data-source-settings.js';
import { SyncError } from '../data-source-sync-error.js';
import { getBranchCommitId, parseAdvertisedRefs } from './advertised-refs.js';
import { flushPacketText, encodeGitPacket, GitPacketReader } from './git-packets.js';

/** Maximum size of the list of branches and tags that a git server sends, in bytes. */
const maxGitReferenceListBytes = 16 * 1024 * 1024;

// Some servers respond only to programs that call themselves git.
const gitRequestHeaders = { 'user-agent': 'git/2.40 (switchboard)' };

/** Remote git repository from which a commit is fetched. */
export interface GitRemote {
  readonly url: string;
  /** Name of the branch or tag to fetch; undefined for the default branch. */
  readonly branch: string | undefined;
  /** Value of the HTTP header `Authorization` for requests to the git server; undefined to omit the header. */
  readonly authorization: string | undefined;
}

export interface FetchGitPackOptions {
  readonly client: Pick<OutboundClient, 'request'>;
  readonly limits: DataSourceSyncLimits;
  readonly signal: AbortSignal;
}

/** Git objects of one fetched commit, without the history of the commit. */
export interface FetchedGitPack {
  /** Id of the fetched git commit or tag object. */
  readonly id: string;
  /** Git pack that contains the commit and the commit's trees and files. */
  readonly pack: Buffer;
}

/**
 * Fetches the newest commit of a branch over HTTP with the protocol version 0, which all servers support
 * (https://git-scm.com/docs/http-protocol).
 *
 * @throws SyncError if the server rejects the request, or if the pack exceeds the size limit of all files
 * @throws OutboundError, or the reason of the signal
 */
export async function fetchGitPack(
  { url, branch, authorization }: GitRemote,
  parts: FetchGitPackOptions,
): Promise<FetchedGitPack> {
  const listed = await sendToGitServer(parts, {
    url: `${validateRepositoryUrl(url)}/info/refs?service=git-upload-pack`,
    headers: { ...gitRequestHeaders, ...(authorization === undefined ? {} : { authorization }) },
    maxResponseBytes: maxGitReferenceListBytes,
  });
  if (!String(listed.headers['content-type']).startsWith('application/x-git-upload-pack-advertisement')) {
    throw new SyncError('The URL is not that of a git repository.');
  }
  const refs = await parseAdvertisedRefs(listed.body);
  const id = getBranchCommitId(refs, branch);
  if (refs.capabilities.has('object-format=sha256'))
    throw new SyncError('Repositories with SHA-256 are not supported.');
  if (!refs.capabilities.has('shallow')) throw new SyncError('The git server cannot send one commit alone.');
  const features = ['side-band-64k', 'ofs-delta', 'no-progress'].filter((name) => refs.capabilities.has(name));
  // A server may have redirected the first request. Credentials are for the server of the URL only.
  const base = listed.url.replace(/\/info\/refs\?.*$/u, '');
  const isSameServer = new URL(base).origin === new URL(url).origin;
  const response = await sendToGitServer(parts, {
    url: `${base}/git-upload-pack`,
    method: 'POST',
    headers: {
      ...gitRequestHeaders,
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
      ...(authorization === undefined || !isSameServer ? {} : { authorization }),
    },
    body: `${encodeGitPacket(`want ${[id, ...features].join(' ')}\n`)}${encodeGitPacket('deepen 1\n')}${flushPacketText}${encodeGitPacket('done\n')}`,
    // Each packet of 64 KiB has a head of five bytes.
    maxResponseBytes: Math.ceil(parts.limits.bytes * 1.001) + 65_536,
    maxRedirects: 0,
  });
  return { id, pack: await extractGitPackFromResponse(response.body, features.includes('side-band-64k')) };
}

/**
 * Returns the URL of a git repository without trailing slashes.
 *
 * @throws SyncError unless it is an HTTP URL without credentials, query and fragment
 */
function validateRepositoryUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    throw new SyncError('Repositories are fetched over HTTP: the URL must begin with http:// or https://.');
  }
  if (`${url.username}${url.password}` !== '') {
    throw new SyncError('Give the parameters username and password instead of credentials in the URL.');
  }
  if (`${url.search}${url.hash}` !== '') throw new SyncError('The URL of a repository has no query and no fragment.');
  return url.href.replace(/\/+$/u, '');
}

/**
 * Sends a request to the git server.
 *
 * @throws SyncError for any status other than 200
 */
async function sendToGitServer(
  { client, limits, signal }: FetchGitPackOptions,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const response = await client.request({ ...request, signal }).catch((error: unknown) => {
    if (error instanceof ResponseTooLargeError)
      throw new SyncError(`The repository has more than ${limits.bytes} bytes.`);
    throw error;
  });
  const { status } = response;
  if (status === 200) return response;
  if (status === 401 || status === 403) {
    throw new SyncError(
      `The git server refuses access with status ${status}. Check the parameters username and password.`,
    );
  }
  if (status === 404) throw new SyncError('The git server has no repository at the URL.');
  throw new SyncError(`The git server responds with status ${status}.`);
}

/**
 * Extracts the git pack from the server's response. Overwrites the buffer of the response with the extracted pack to
 * save memory.
 */
async function extractGitPackFromResponse(body: Buffer, isDivided: boolean): Promise<Buffer> {
  const reader = new GitPacketReader(body);
  for (let isPack = false; !isPack;) {
    const packet = await reader.readNextPacket();
    if (packet === null) throw new SyncError('The git server sends no objects.');
    const line = packet === 'flush' ? '' : packet.toString('utf8', 0, 500);
    if (line.startsWith('ERR ')) throw new SyncError(`The git server refuses the request: ${line.slice(4)}`);
    isPack = line.startsWith('NAK') || line.startsWith('ACK');
  }
  if (!isDivided) return reader.readRemainingBytes();
  let length = 0;
  for (
    let packet = await reader.readNextPacket();
    packet !== null && packet !== 'flush';
    packet = await reader.readNextPacket()
  ) {
    const [band] = packet;
    if (band === 3) throw new SyncError(`The git server reports an error: ${packet.toString('utf8', 1, 500)}`);
    if (band === 1) length += packet.copy(body, length, 1);
  }
  return body.subarray(0, length);
}
