import { createReadStream } from 'node:fs';
import { mkdir, open, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { AdminError } from '../../admin-error.js';
import { checkArchivePath, quotePathForMessage } from './archive-path.js';
import { ByteReader } from './byte-reader.js';

const tarBlockBytes = 512;
const maxTarEntries = 10_000_000;
const maxTarHeaderBytes = 65_536;

interface TarEntry {
  readonly path: string;
  readonly size: number;
  readonly type: string;
}

/**
 * Extracts the files of a tar archive, which may be compressed with gzip, into an empty folder. Memory use does not
 * grow with the archive.
 *
 * @throws AdminError for links, paths that lead out of the folder, a damaged archive, or too little free space
 */
export async function extractTar(file: string, folder: string): Promise<void> {
  const reader = new ByteReader(await openTar(file));
  const { bavail, bsize } = await statfs(folder);
  let space = bavail * bsize * 0.9;
  let longPath: string | null = null;
  for (let count = 0; ; count += 1) {
    const entry = readTarHeader(await reader.read(tarBlockBytes), longPath);
    if (entry === null) return;
    if (count >= maxTarEntries) throw new AdminError(`The archive has more than ${maxTarEntries} entries.`);
    space -= entry.size;
    if (space < 0) throw new AdminError(`There is not enough free space for the archive in ${folder}.`);
    longPath = await readTarEntry(reader, entry, folder);
  }
}

async function openTar(file: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  await handle.close();
  const bytes = createReadStream(file);
  if (buffer.readUInt16BE() !== 0x1f8b) return bytes;
  const unzipped = createGunzip();
  bytes.on('error', (error) => unzipped.destroy(error));
  return rethrowAsDamagedArchive(bytes.pipe(unzipped));
}

async function* rethrowAsDamagedArchive(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw new AdminError(`The archive is damaged: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Returns the entry that a tar header block describes, or null at the end of the archive.
 *
 * @param longPath path from an earlier extended header
 */
function readTarHeader(block: Buffer, longPath: string | null): TarEntry | null {
  if (block.length === tarBlockBytes && block.every((byte) => byte === 0)) return null;
  if (block.length < tarBlockBytes || computeTarHeaderChecksum(block) !== parseTarOctal(block, 148, 8)) {
    throw new AdminError('The file is not a tar archive, or it is damaged.');
  }
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const [name, prefix] = [readTarHeaderText(block, 0, 100), isPosix ? readTarHeaderText(block, 345, 155) : ''];
  const path = longPath ?? (prefix === '' ? name : `${prefix}/${name}`);
  return { path, size: parseTarOctal(block, 124, 12), type: readTarHeaderText(block, 156, 1) || '0' };
}

/**
 * Processes the content of a tar entry. Returns the path of the next entry if this entry is an extended header with
 * that path, otherwise null.
 */
async function readTarEntry(reader: ByteReader, entry: TarEntry, folder: string): Promise<string | null> {
  const { path, size, type } = entry;
  if (type === 'L' || type === 'x') {
    if (size > maxTarHeaderBytes) throw new AdminError('The archive contains a path that is too long.');
    const content = await readPaddedTarContent(reader, size);
    return type === 'L' ? content.toString().replace(/\0.*$/s, '') : readExtendedHeaderPath(content);
  }
  if (type === 'g' || type === '5') {
    for await (const chunk of readPaddedTarChunks(reader, size)) void chunk;
    return null;
  }
  if (type !== '0') throw new AdminError(`The archive contains a link or device: ${quotePathForMessage(path)}`);
  const target = join(folder, checkArchivePath(path));
  await mkdir(dirname(target), { recursive: true });
  try {
    await writeFile(target, readTarEntryContent(reader, size), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new AdminError(`The archive contains a file twice: ${quotePathForMessage(path)}`);
  }
  return null;
}

/** Returns the path in an extended tar header (type `x`), which consists of lines `<length> <name>=<value>`. */
function readExtendedHeaderPath(content: Buffer): string | null {
  for (let start = 0; start < content.length;) {
    const length = Number.parseInt(content.toString('latin1', start, start + 20), 10);
    if (!(length > 0)) return null;
    const line = content.toString('utf8', start, start + length - 1);
    const path = /^\d+ path=(.*)$/s.exec(line);
    if (path !== null) return path[1] ?? '';
    start += length;
  }
  return null;
}

async function* readTarEntryContent(reader: ByteReader, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of reader.readChunks(size)) {
    read += chunk.length;
    yield chunk;
  }
  if (read < size) throw new AdminError('The archive is damaged: it ends too early.');
  await reader.read(getTarPaddingLength(size));
}

async function* readPaddedTarChunks(reader: ByteReader, size: number): AsyncGenerator<Buffer> {
  yield* reader.readChunks(size + getTarPaddingLength(size));
}

async function readPaddedTarContent(reader: ByteReader, size: number): Promise<Buffer> {
  return (await reader.read(size + getTarPaddingLength(size))).subarray(0, size);
}

const getTarPaddingLength = (size: number): number => (tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes;

function readTarHeaderText(block: Buffer, start: number, length: number): string {
  return block.toString('utf8', start, start + length).replace(/\0.*$/s, '');
}

/** Parses a number in a tar header: octal digits, or a binary number if the first bit is set. */
function parseTarOctal(block: Buffer, start: number, length: number): number {
  if (((block[start] ?? 0) & 0x80) !== 0) return block.readUIntBE(start + length - 6, 6);
  const value = Number.parseInt(readTarHeaderText(block, start, length).trim() || '0', 8);
  if (!(value >= 0)) throw new AdminError('The file is not a tar archive, or it is damaged.');
  return value;
}

/** Returns the checksum of a tar header: the sum of its bytes, in which the checksum's own bytes count as blanks. */
function computeTarHeaderChecksum(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}
