import { SyncError } from '../data-source-sync-error.js';
import { GitPacketReader } from './git-packets.js';

/** Branches, tags and other references of a git repository that the server lists, and the server's capabilities. */
export interface AdvertisedRefs {
  /** Ids of git objects by the name of the reference, such as `HEAD` or `refs/heads/main`. */
  readonly ids: ReadonlyMap<string, string>;
  readonly capabilities: ReadonlySet<string>;
}

/** Maximum number of references of a git repository that are read. */
const maxAdvertisedRefs = 200_000;

const advertisedRefPattern = /^(?<id>[\da-f]{40}) (?<name>[^\0\n]+)(?:\0(?<capabilities>[^\n]*))?\n?$/u;

/**
 * Parses the response to `GET info/refs` (https://git-scm.com/docs/http-protocol).
 *
 * @throws SyncError if the response is malformed or contains an error of the server
 */
export async function parseAdvertisedRefs(body: Buffer): Promise<AdvertisedRefs> {
  const reader = new GitPacketReader(body);
  const ids = new Map<string, string>();
  let capabilities: ReadonlySet<string> | null = null;
  for (let packet = await reader.readNextPacket(); packet !== null; packet = await reader.readNextPacket()) {
    const line = packet === 'flush' ? '' : packet.toString('utf8');
    if (line === '' || line.startsWith('# service=') || line.startsWith('version ')) continue;
    if (line.startsWith('ERR ')) throw new SyncError(`The git server refuses the request: ${line.slice(4)}`);
    const { id, name, capabilities: names } = advertisedRefPattern.exec(line)?.groups ?? {};
    if (line.startsWith('shallow ')) continue;
    if (id === undefined || name === undefined) throw new SyncError('The list of branches is malformed.');
    capabilities ??= new Set((names ?? '').split(' '));
    // A repository without references has a line of this name for its capabilities.
    if (name !== 'capabilities^{}') ids.set(name, id);
    if (ids.size > maxAdvertisedRefs)
      throw new SyncError(`The repository has more than ${maxAdvertisedRefs} branches and tags.`);
  }
  return { ids, capabilities: capabilities ?? new Set() };
}

/**
 * Returns the id of the commit or tag object to which a branch or tag name refers.
 *
 * @param branch name of a branch or tag; undefined for the default branch
 * @throws SyncError if the repository has no branch or tag of this name
 */
export function getBranchCommitId({ ids }: AdvertisedRefs, branch: string | undefined): string {
  if (ids.size === 0) throw new SyncError('The repository is empty.');
  const id =
    branch === undefined ? ids.get('HEAD') : (ids.get(`refs/heads/${branch}`) ?? ids.get(`refs/tags/${branch}`));
  if (id !== undefined) return id;
  throw new SyncError(
    branch === undefined
      ? 'The repository has no default branch. Set the parameter branch.'
      : `The repository has neither a branch nor a tag ${branch}.`,
  );
}
