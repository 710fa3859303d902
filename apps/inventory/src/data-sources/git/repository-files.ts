import { OutboundClient } from '@switchboard/outbound';
import type { SourceParameters } from '../decrypt-parameters.js';
import { convertRemoteToSyncError } from '../convert-remote-error.js';
import type { DataSourceSettings } from '../data-source-settings.js';
import { type ListedSourceFile, maxSourceFilePathLength } from '../compare-source-files.js';
import { SyncError } from '../data-source-sync-error.js';
import { fetchGitPack } from './fetch-git-pack.js';
import { createMalformedPackError } from './git-pack-entries.js';
import { GitPackObjects } from './git-pack-objects.js';

/** An entry of a git tree: a file, a folder, a link or a submodule. */
interface GitTreeEntry {
  readonly type: 'file' | 'folder' | 'other';
  readonly name: string;
  readonly id: string;
}

/** Number of tree entries that are read before the event loop serves other requests. */
const treeEntriesReadBetweenPauses = 1000;

/** Maximum number of nested annotated tags that are resolved to reach a commit. */
const maxNestedTags = 10;

/**
 * Lists the files of the newest commit of a repository. Symbolic links and submodules are omitted.
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
): AsyncGenerator<ListedSourceFile> {
  const client = new OutboundClient(outbound);
  try {
    const branch = parameters.get('branch');
    const remote = {
      url,
      branch: branch === '' ? undefined : branch,
      authorization: createBasicAuthorization(parameters),
    };
    const { id, pack } = await fetchGitPack(remote, { client, limits, signal }).catch((error: unknown) => {
      throw convertRemoteToSyncError(error);
    });
    const objects = await GitPackObjects.openGitPack(pack, { limits, signal });
    yield* listTreeFiles(objects, await findRootTree(objects, id), limits.files, signal);
  } finally {
    await client.close();
  }
}

function createBasicAuthorization(parameters: SourceParameters): string | undefined {
  const username = parameters.get('username') ?? '';
  const credentials = `${username}:${parameters.get('password') ?? ''}`;
  return username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Returns the id of a commit's root tree. The parameter `id` may also be the id of an annotated tag of the commit. */
async function findRootTree(objects: GitPackObjects, id: string): Promise<string> {
  let next = id;
  for (let tags = 0; tags <= maxNestedTags; tags += 1) {
    const { kind, content } = await objects.readGitObject(next, 'the commit');
    const [, name, target] = /^(tree|object) ([\da-f]{40})\n/u.exec(content.toString('latin1', 0, 60)) ?? [];
    if (target === undefined) throw createMalformedPackError();
    if (kind === 'commit' && name === 'tree') return target;
    next = target;
  }
  throw createMalformedPackError();
}

/**
 * Lists the files of a git tree and of its subtrees, in the order of the pack. In this order, files that are deltas of
 * one another are adjacent, so that the base objects are still cached.
 */
async function* listTreeFiles(
  objects: GitPackObjects,
  root: string,
  maxFiles: number,
  signal: AbortSignal,
): AsyncGenerator<ListedSourceFile> {
  const found: { readonly id: string; readonly path: string; readonly position: number }[] = [];
  const maxCharacters = 100 * getMaxGitTreeEntries(maxFiles);
  let characters = 0;
  for await (const { id, path } of walkGitTree(objects, root, maxFiles, signal)) {
    characters += path.length;
    if (characters > maxCharacters) throw new SyncError(`All paths have more than ${maxCharacters} characters.`);
    found.push({ id, path, position: objects.findObjectOffset(id) });
  }
  for (const { id, path } of found.toSorted((one, other) => one.position - other.position)) {
    yield { path, read: async () => (await objects.readGitObject(id, path)).content };
  }
}

/** Returns the maximum number of files and folders in a git tree, including ignored files and folders. */
function getMaxGitTreeEntries(maxFiles: number): number {
  return 10 * maxFiles + 10_000;
}

/**
 * Finds the files of a git tree and its subtrees. The number of entries is limited, because a hostile tree can contain
 * one subtree many times.
 */
async function* walkGitTree(
  objects: GitPackObjects,
  root: string,
  maxFiles: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly id: string; readonly path: string }> {
  const folders = [{ id: root, path: '' }];
  const maxEntries = getMaxGitTreeEntries(maxFiles);
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { kind, content } = await objects.readGitObject(folder.id, `the folder ${folder.path}`);
    if (kind !== 'tree') throw createMalformedPackError();
    for (const { type, name, id } of parseGitTree(content)) {
      entries += 1;
      if (entries > maxEntries) throw new SyncError(`The repository has more than ${maxEntries} files and folders.`);
      if (entries % treeEntriesReadBetweenPauses === 0) await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      const path = folder.path === '' ? name : `${folder.path}/${name}`;
      if (path.length > maxSourceFilePathLength)
        throw new SyncError(`A path has more than ${maxSourceFilePathLength} characters: ${path}`);
      if (type === 'folder') folders.push({ id, path });
      else if (type === 'file') yield { id, path };
    }
  }
}

/** Parses the content of a git tree object and yields the entries of the tree. */
function* parseGitTree(content: Buffer): Generator<GitTreeEntry> {
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(' ', at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > content.length) throw createMalformedPackError();
    const name = content.toString('utf8', space + 1, end);
    if (name === '' || name.includes('/')) throw createMalformedPackError();
    yield {
      type: getGitTreeEntryType(content.toString('latin1', at, space)),
      name,
      id: content.toString('hex', end + 1, end + 21),
    };
    at = end + 21;
  }
}

/** Returns the type of a tree entry by its octal file mode, which some programs write with a leading zero. */
function getGitTreeEntryType(mode: string): GitTreeEntry['type'] {
  const type = /^[0-7]{5,7}$/u.test(mode) ? Math.floor(Number.parseInt(mode, 8) / 0o10000) : 0;
  return type === 0o4 ? 'folder' : type === 0o10 ? 'file' : 'other';
}
