import { Readable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type ListedS3Object, parseListedS3Object, parseS3ObjectPage } from './list-objects.js';
import { S3Client, S3Error, type S3ClientOptions, type S3Request } from './s3-client.js';

/**
 * Size in bytes of the pieces in which S3 objects are stored and read. This is the minimum size that S3 allows for a
 * part of an object.
 */
const s3UploadPartSizeBytes = 5 * 1024 * 1024;

/** Number of object keys of a list that are decoded without a pause for other work in the process. */
const s3KeysParsedBetweenPauses = 20;

/**
 * Range of an S3 object's bytes from `start` to `end`. The positions count from 0, and both positions are inclusive.
 */
export interface S3ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Stores and reads objects of an S3-compatible bucket. Small objects are uploaded in one request, larger objects in
 * parts. Objects are read in ranges. During an upload or a download, at most two pieces of the object are in memory.
 */
export class S3Bucket {
  private readonly client: S3Client;

  /** Creates the client of the S3 bucket. Opens no connection. */
  constructor(options: S3ClientOptions) {
    this.client = new S3Client(options);
  }

  /**
   * Stores the bytes of the source as an S3 object. Readers can read the object only when all bytes are stored.
   *
   * @throws Error of the source, S3Error or OutboundError; in case of an error, nothing is stored
   */
  async write(key: string, source: AsyncIterable<Buffer>, contentType: string): Promise<void> {
    const pieces = splitBytesIntoEqualPieces(source);
    const first = await pieces.next();
    const beginning = first.done === true ? Buffer.alloc(0) : first.value;
    const headers = { 'content-type': contentType };
    if (beginning.length < s3UploadPartSizeBytes) {
      await this.client.request({ method: 'PUT', key, headers, body: beginning }, [200]);
      return;
    }
    await this.#uploadInParts(key, beginning, pieces, headers);
  }

  /**
   * Returns a stream of the content of an S3 object, or of a range of the content. Returns null if the object does not
   * exist.
   *
   * @throws S3Error or OutboundError, also while the stream is read
   */
  async open(key: string, range?: S3ByteRange): Promise<Readable | null> {
    const start = range?.start ?? 0;
    const first = await this.#readPiece(key, start, range?.end);
    return first && Readable.from(this.#readRemainingPieces(key, start, range?.end, first), { objectMode: false });
  }

  /**
   * Returns the complete content of an S3 object, or null if the object does not exist. Suited to small objects.
   *
   * @throws S3Error or OutboundError
   */
  async read(key: string): Promise<Buffer | null> {
    const content = await this.open(key);
    if (content === null) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }

  /**
   * Returns true if an S3 object exists.
   *
   * @throws S3Error or OutboundError
   */
  async exists(key: string): Promise<boolean> {
    // An object with exactly this key is the first one whose key begins with it.
    for await (const object of this.listObjects(key)) return object.key === key;
    return false;
  }

  /**
   * Lists the S3 objects whose keys begin with `prefix`, in the order of the store. Requests a page of at most 1,000
   * objects at a time.
   *
   * @throws S3Error, also for a response that is not a list, or OutboundError
   */
  async *listObjects(prefix = ''): AsyncGenerator<ListedS3Object> {
    const query: Record<string, string> = { 'encoding-type': 'url', 'list-type': '2', prefix };
    for (let next: string | null = ''; next !== null;) {
      const request: S3Request = {
        method: 'GET',
        key: '',
        query: next === '' ? query : { 'continuation-token': next, ...query },
      };
      const { status, body } = await this.client.request(request, [200]);
      const page = parseS3ObjectPage(body.toString('utf8'));
      if (page === null) throw new S3Error(request, status, body);
      for (const [index, element] of page.elements.entries()) {
        // The keys of a hostile store take long to decode.
        if (index % s3KeysParsedBetweenPauses === 0) await nextRound();
        const object = parseListedS3Object(element, page);
        if (object === null) throw new S3Error(request, status, body);
        yield object;
      }
      next = page.next;
    }
  }

  /**
   * Removes an object from the S3 bucket. Has no effect if the object does not exist.
   *
   * @throws S3Error or OutboundError
   */
  async remove(key: string): Promise<void> {
    await this.client.request({ method: 'DELETE', key }, [200, 204, 404]);
  }

  /** Waits for running requests to the S3 bucket, then closes all connections. */
  close(): Promise<void> {
    return this.client.close();
  }

  async #uploadInParts(
    key: string,
    beginning: Buffer,
    rest: AsyncGenerator<Buffer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const begun = await this.client.request({ method: 'POST', key, query: { uploads: '' }, headers }, [200]);
    const uploadId = requireXmlElementText(begun.body, 'UploadId');
    try {
      const tags = [await this.#uploadPart(key, uploadId, 1, beginning)];
      for await (const piece of rest) tags.push(await this.#uploadPart(key, uploadId, tags.length + 1, piece));
      const body = Buffer.from(createCompleteUploadBody(tags));
      const done = await this.client.request({ method: 'POST', key, query: { uploadId }, body }, [200]);
      // Completing can take so long that S3 begins its response with 200 and ends it with an error.
      if (done.body.includes('<Error>')) throw new Error(`The parts of ${key} could not be joined`);
    } catch (error) {
      // The first error is reported, even if the parts cannot be removed; lifecycle rules of the bucket remove them
      // later.
      await this.client.request({ method: 'DELETE', key, query: { uploadId } }, [200, 204, 404]).catch(() => undefined);
      throw error;
    }
  }

  async #uploadPart(key: string, uploadId: string, number: number, body: Buffer): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.client.request({ method: 'PUT', key, query, body }, [200]);
    return headers.etag ?? '';
  }

  /**
   * Reads the piece of an S3 object that begins at byte `start`. Returns null if the object does not exist.
   *
   * @throws Error if the store ignores the requested range after the first piece, because a response with the whole
   *   object is then useless
   */
  async #readPiece(key: string, start: number, last: number | undefined): Promise<S3ObjectPiece | null> {
    const end = Math.min(start + s3UploadPartSizeBytes - 1, last ?? Number.MAX_SAFE_INTEGER);
    const headers = { range: `bytes=${start}-${end}` };
    const { status, body } = await this.client.request({ method: 'GET', key, headers }, [200, 206, 404, 416]);
    if (status === 404) return null;
    // The range starts after the end: the object is empty, or its size is a multiple of the piece size.
    if (status === 416) return { body: Buffer.alloc(0), isLast: true };
    if (status === 206) return { body, isLast: body.length < end - start + 1 || end === last };
    if (start > 0) throw new Error(`The store ignored the range of ${key}`);
    return { body: body.subarray(0, last === undefined ? undefined : last + 1), isLast: true };
  }

  async *#readRemainingPieces(
    key: string,
    start: number,
    end: number | undefined,
    first: S3ObjectPiece,
  ): AsyncGenerator<Buffer> {
    let at = start;
    let piece: S3ObjectPiece | null = first;
    while (piece.body.length > 0) {
      yield piece.body;
      at += piece.body.length;
      if (piece.isLast) return;
      piece = await this.#readPiece(key, at, end);
      if (piece === null) throw new Error(`${key} was removed while it was read`);
    }
  }
}

/** Bytes of a piece of an S3 object that was read. */
interface S3ObjectPiece {
  readonly body: Buffer;
  /** True if the piece is the last piece of the requested range. */
  readonly isLast: boolean;
}

/** Divides the bytes of the source into pieces of equal size. Only the last piece may be smaller. */
async function* splitBytesIntoEqualPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < s3UploadPartSizeBytes) continue;
    const gathered = Buffer.concat(chunks);
    let from = 0;
    for (; gathered.length - from >= s3UploadPartSizeBytes; from += s3UploadPartSizeBytes)
      yield gathered.subarray(from, from + s3UploadPartSizeBytes);
    chunks = [gathered.subarray(from)];
    size = gathered.length - from;
  }
  if (size > 0) yield Buffer.concat(chunks);
}

function requireXmlElementText(xml: Buffer, name: string): string {
  const found = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml.toString('utf8'));
  if (found?.[1] === undefined) throw new Error(`The response of the store has no ${name}`);
  return found[1];
}

function createCompleteUploadBody(tags: readonly string[]): string {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}
