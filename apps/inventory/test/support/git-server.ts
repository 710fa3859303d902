import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import git from 'isomorphic-git';

/** A git server with one repository. The server uses HTTP with the git protocol version 0. */
export interface GitServer {
  /** URL of the repository on the git server. */
  readonly url: string;
  /**
   * User name and password that requests to the git server must contain. Null if the repository needs no
   * authentication.
   */
  credentials: string | null;
  /**
   * Origin to which the git server redirects requests for the list of branches. Null if requests are not redirected.
   */
  redirectTo: string | null;
  /**
   * Git pack that the server sends instead of the pack of the requested commit. Null to send the pack of the requested
   * commit.
   */
  pack: Uint8Array | null;
  /** Value of the header `Authorization` in the last request. Undefined if the request had no such header. */
  readonly authorization: string | undefined;
  /**
   * Writes files to the working folder of the repository, and commits everything in that folder. A file with content
   * null is deleted.
   */
  commit(files: Readonly<Record<string, string | null>>): Promise<void>;
  /** Commits the same files again, in the form of old git programs. The modes of folders then have a leading zero. */
  commitOldModes(): Promise<void>;
  /** Creates a git branch at the current commit, and switches to the new branch. */
  branch(name: string): Promise<void>;
  /** Switches the repository to a branch. */
  checkout(name: string): Promise<void>;
  /** Creates an annotated tag at the current commit. */
  tag(name: string): Promise<void>;
  close(): Promise<void>;
}

const author = { name: 'Tester', email: 'tester@example.com' };

/** Starts a git server with an empty repository in a folder. */
export async function gitServer(dir: string): Promise<GitServer> {
  await git.init({ fs, dir, defaultBranch: 'main' });
  const state = {
    credentials: null as string | null,
    redirectTo: null as string | null,
    pack: null as Uint8Array | null,
    authorization: undefined as string | undefined,
  };
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.writeHead(500).end());
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    state.authorization = request.headers.authorization;
    const expected = state.credentials === null ? null : `Basic ${Buffer.from(state.credentials).toString('base64')}`;
    const [path, query] = (request.url ?? '').split('?');
    if (expected !== null && state.authorization !== expected) response.writeHead(401).end();
    else if (path === '/repo.git/info/refs' && query === 'service=git-upload-pack') {
      if (state.redirectTo !== null) response.writeHead(302, { location: `${state.redirectTo}${request.url}` }).end();
      else {
        response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
        response.end(`${packet('# service=git-upload-pack\n')}0000${await refLines(dir)}0000`);
      }
    } else if (path === '/repo.git/git-upload-pack') {
      const [, want = ''] = /want ([\da-f]{40})/u.exec(body) ?? [];
      const pack = state.pack ?? (await packOf(dir, want));
      response.setHeader('content-type', 'application/x-git-upload-pack-result');
      response.end(Buffer.concat([Buffer.from(`${packet(`shallow ${want}\n`)}0000${packet('NAK\n')}`), bands(pack)]));
    } else response.writeHead(404).end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/repo.git`,
    commit: async (files: Readonly<Record<string, string | null>>) => {
      for (const [filepath, content] of Object.entries(files)) {
        fs.mkdirSync(dirname(join(dir, filepath)), { recursive: true });
        if (content === null) await git.remove({ fs, dir, filepath });
        else fs.writeFileSync(join(dir, filepath), content);
        if (content === null) fs.rmSync(join(dir, filepath));
      }
      await git.add({ fs, dir, filepath: '.' });
      await git.commit({ fs, dir, author, message: 'Change' });
    },
    commitOldModes: async () => {
      const { tree: oid } = (await git.log({ fs, dir, depth: 1 }))[0]?.commit ?? { tree: '' };
      const { object } = await git.readObject({ fs, dir, oid, format: 'content' });
      const text = Buffer.from(object as Uint8Array).toString('latin1');
      const old = Buffer.from(text.replaceAll(/(?<![\d])40000 /g, '040000 '), 'latin1');
      const tree = await git.writeObject({ fs, dir, type: 'tree', object: old, format: 'content' });
      await git.commit({ fs, dir, author, message: 'Old modes', tree });
    },
    branch: (ref: string) => git.branch({ fs, dir, ref, checkout: true }),
    checkout: (ref: string) => git.checkout({ fs, dir, ref }),
    tag: (ref: string) => git.annotatedTag({ fs, dir, ref, tagger: author, message: ref }),
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  });
}

/** Returns the list of the repository's references, as the git server sends it in its first response. */
async function refLines(dir: string): Promise<string> {
  const branches = (await git.listBranches({ fs, dir })).map((name) => `refs/heads/${name}`);
  const tags = (await git.listTags({ fs, dir })).map((name) => `refs/tags/${name}`);
  const head = await git.resolveRef({ fs, dir, ref: 'HEAD' }).catch(() => null);
  const names = [...(head === null ? [] : ['HEAD']), ...branches, ...tags];
  const lines = await Promise.all(names.map(async (ref) => `${await git.resolveRef({ fs, dir, ref })} ${ref}`));
  if (lines.length === 0) lines.push(`${'0'.repeat(40)} capabilities^{}`);
  return lines
    .map((line, index) => packet(`${line}${index === 0 ? '\0shallow side-band-64k ofs-delta no-progress' : ''}\n`))
    .join('');
}

/**
 * Returns a git pack that contains all objects of one commit. If `id` is the id of a tag, the pack also contains the
 * tag.
 */
async function packOf(dir: string, id: string): Promise<Uint8Array> {
  const tag = await git.readTag({ fs, dir, oid: id }).catch(() => null);
  const commit = tag?.tag.object ?? id;
  const oids = new Set([id, commit]);
  const { commit: content } = await git.readCommit({ fs, dir, oid: commit });
  const add = async (oid: string): Promise<void> => {
    oids.add(oid);
    for (const entry of (await git.readTree({ fs, dir, oid })).tree) {
      oids.add(entry.oid);
      if (entry.type === 'tree') await add(entry.oid);
    }
  };
  await add(content.tree);
  const { packfile } = await git.packObjects({ fs, dir, oids: [...oids] });
  if (packfile === undefined) throw new Error('no pack');
  return packfile;
}

const packet = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** Returns a git pack, divided into packets of side band 1. A message in side band 2 is included. */
function bands(pack: Uint8Array): Buffer {
  const packets = [Buffer.from(packet('\u0002Counting objects\n'))];
  for (let at = 0; at < pack.length; at += 1000) {
    const piece = pack.subarray(at, at + 1000);
    packets.push(Buffer.from((piece.length + 5).toString(16).padStart(4, '0')), Buffer.from([1]), Buffer.from(piece));
  }
  return Buffer.concat([...packets, Buffer.from('0000')]);
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}
