import { OutboundClient } from '@switchboard/outbound';
import type { SourceParameters } from '../open-parameters.js';
import { remoteErrorOf } from '../remote-error.js';
import type { DataSourceSettings } from '../settings.js';
import { type ListedFile, maxPathLength } from '../source-files.js';
import { SyncError } from '../sync-error.js';
import { fetchPack } from './fetch-pack.js';
import { malformedPack } from './pack-entries.js';
import { PackObjects } from './pack-objects.js';

/** Entry of a tree: a file or a folder. */
interface TreeEntry {
  /** Mode in octal, such as `100644`. */
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** Number of entries after which other work of the process gets a turn. */
const entriesPerTurn = 1000;

/** Maximum number of tags between a reference and its commit. */
const maxTags = 10;

/**
 * Lists the files of the newest commit of a repository. Links and submodules are left out.
 *
 * @param parameters `branch` (also the name of a tag), `username` and `password`
 * @throws SyncError if the repository cannot be read or exceeds a limit
 * @throws the reason of the signal after an abort
 */
export async function* listRepositoryFiles(
  url: string,
  parameters: SourceParameters,
  { outbound, limits }: DataSourceSettings,
  signal: AbortSignal,
): AsyncGenerator<ListedFile> {
  const client = new OutboundClient(outbound);
  try {
    const branch = parameters.get('branch');
    const remote = { url, branch: branch === '' ? undefined : branch, authorization: authorizationOf(parameters) };
    const { id, pack } = await fetchPack(remote, { client, limits, signal }).catch((error: unknown) => {
      throw remoteErrorOf(error);
    });
    const objects = await PackObjects.open(pack, { limits, signal });
    yield* listTree(objects, await rootOf(objects, id), limits.files, signal);
  } finally {
    await client.close();
  }
}

function authorizationOf(parameters: SourceParameters): string | undefined {
  const username = parameters.get('username') ?? '';
  const credentials = `${username}:${parameters.get('password') ?? ''}`;
  return username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Returns the id of the tree of a commit, or of the commit of a tag. */
async function rootOf(objects: PackObjects, id: string): Promise<string> {
  let next = id;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    const { kind, content } = await objects.read(next, 'the commit');
    const [, name, target] = /^(tree|object) ([\da-f]{40})\n/u.exec(content.toString('latin1', 0, 60)) ?? [];
    if (target === undefined) throw malformedPack();
    if (kind === 'commit' && name === 'tree') return target;
    next = target;
  }
  throw malformedPack();
}

/** Lists the files of a tree and the trees below it. A hostile tree can contain itself many times. */
async function* listTree(
  objects: PackObjects,
  root: string,
  maxFiles: number,
  signal: AbortSignal,
): AsyncGenerator<ListedFile> {
  const folders = [{ id: root, path: '' }];
  const maxEntries = 10 * maxFiles + 10_000;
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { kind, content } = await objects.read(folder.id, `the folder ${folder.path}`);
    if (kind !== 'tree') throw malformedPack();
    for (const { mode, name, id } of treeEntries(content)) {
      entries += 1;
      if (entries > maxEntries) throw new SyncError(`The repository has more than ${maxEntries} files and folders.`);
      if (entries % entriesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      const path = folder.path === '' ? name : `${folder.path}/${name}`;
      if (path.length > maxPathLength) throw new SyncError(`A path has more than ${maxPathLength} characters: ${path}`);
      if (mode === '40000') folders.push({ id, path });
      else if (mode.startsWith('100')) yield { path, read: async () => (await objects.read(id, path)).content };
    }
  }
}

/** Parses the content of a tree. */
function* treeEntries(content: Buffer): Generator<TreeEntry> {
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(' ', at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > content.length) throw malformedPack();
    const name = content.toString('utf8', space + 1, end);
    if (name === '' || name.includes('/')) throw malformedPack();
    yield { mode: content.toString('latin1', at, space), name, id: content.toString('hex', end + 1, end + 21) };
    at = end + 21;
  }
}
