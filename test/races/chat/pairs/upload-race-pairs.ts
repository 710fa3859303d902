import { randomBytes } from 'node:crypto';
import type { RacePair } from '../../race-pair.js';
import type { ChatWorld } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

const protocol = { 'tus-resumable': '1.0.0' };
const bytes = { ...protocol, 'content-type': 'application/offset+octet-stream' };

async function countUsedBytes(world: ChatWorld): Promise<number> {
  const { upload_space_used: used } = await world.create('hamlet', 'get', 'attachments');
  return Number(used);
}

/** Creates a resumable upload and returns its URL path. */
async function newUpload(world: ChatWorld, size: number): Promise<string> {
  const metadata = `filename ${Buffer.from(world.newName('file')).toString('base64')}`;
  const headers = { ...protocol, 'upload-length': String(size), 'upload-metadata': metadata };
  const { status, headers: received } = await world.send('hamlet', 'post', '/api/v1/tus', { headers });
  if (status !== 201) throw new Error(`POST /tus: ${status}`);
  return String(received['location']);
}

/**
 * Returns a race between a deletion of an upload and a request that appends bytes.
 *
 * @param isLast true if the bytes complete the upload
 */
function deletionRace(title: string, isLast: boolean): ChatRacePair {
  return {
    slice: 'resumable uploads',
    title,
    deletes: true,
    async arrange(world) {
      const content = randomBytes(20_000);
      const sent = isLast ? content : content.subarray(0, 10_000);
      const usedBefore = await countUsedBytes(world);
      const path = await newUpload(world, content.length);
      const headers = { ...bytes, 'upload-offset': '0' };
      return {
        writes: [
          () => world.send('hamlet', 'delete', path, { headers: protocol }),
          () => world.send('hamlet', 'patch', path, { headers, payload: sent }),
        ],
        async check([deletion, appending]) {
          const id = path.split('/').at(-1) ?? '';
          const files = await world.listStoredFiles(`resumable/${id}`);
          const added = (await countUsedBytes(world)) - usedBefore;
          const url = (appending.body as { url?: string } | undefined)?.url;
          const isDeleted = deletion.status === 204;
          const loaded = url === undefined ? null : (await world.send('hamlet', 'get', url)).status;
          const isRight = isDeleted
            ? url === undefined && added === 0
            : isLast && loaded === 200 && added === content.length;
          const text = `${deletion.status} and ${appending.status}, ${added} bytes are used, the file has ${loaded}`;
          return [...(isRight ? [] : [text]), ...files.map((key) => `the part ${key} remains`)];
        },
      };
    },
  };
}

/** Pairs of concurrent writes to resumable uploads, with their allowed results. */
export const uploadPairs: readonly ChatRacePair[] = [
  deletionRace('an upload is deleted while its first bytes arrive', false),
  deletionRace('an upload is deleted while its last bytes arrive', true),
];
