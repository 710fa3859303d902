import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Credentials and region that {@link startS3Server} accepts. */
export const testS3Credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret', region: 'eu-test-1' };

/** Region and page size of {@link startS3Server}. */
export interface TestS3ServerOptions {
  /** Region of the requests' signatures. Default: the region in {@link testS3Credentials}. */
  readonly region?: string;
  /** Maximum number of objects on a page of a list. Default 1000. */
  readonly pageSize?: number;
}

/** A test S3 server, whose buckets are stored in memory. */
export interface TestS3Server {
  readonly endpoint: string;
  /** Contents of the stored objects by path: `/<bucket>/<key>`. */
  readonly objects: Map<string, Buffer>;
  /**
   * Multipart uploads that were neither completed nor aborted, by upload id. The value contains the uploaded parts by
   * part number.
   */
  readonly unfinished: ReadonlyMap<string, Map<number, Buffer>>;
  /** Error codes of the S3 requests that the server rejected. */
  readonly refusals: readonly string[];
  /** Status of the responses to all requests while this field is set; undefined for normal responses. */
  failWith: number | undefined;
  close(): Promise<void>;
}

/**
 * Starts a small S3 server for tests. Clients can upload objects whole or in parts, list objects, read ranges of
 * objects, and delete objects. Every request needs a Signature Version 4 of {@link testS3Credentials} over its method,
 * path, query, headers and body.
 */
export async function startS3Server({
  region = testS3Credentials.region,
  pageSize = 1000,
}: TestS3ServerOptions = {}): Promise<TestS3Server> {
  const objects = new StoredObjects();
  const unfinished = new Map<string, Map<number, Buffer>>();
  const refusals: string[] = [];
  const state = { failWith: undefined as number | undefined };
  const server = createServer((request, response) => {
    void readS3RequestBody(request).then((body) => {
      const refusal = findRequestSignatureRejectionReason(request, body, region);
      if (refusal !== undefined) {
        refusals.push(refusal);
        response.writeHead(403).end(`<Error><Code>${refusal}</Code></Error>`);
      } else if (state.failWith !== undefined) response.writeHead(state.failWith).end('<Error/>');
      else if (request.url?.includes('list-type=2') === true)
        response.end(renderObjectListPage(objects, request.url, pageSize));
      else respondToS3Request({ objects, unfinished }, request, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    unfinished,
    refusals,
    get failWith() {
      return state.failWith;
    },
    set failWith(status) {
      state.failWith = status;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Contents of objects by path, with the time at which each object was stored, in milliseconds since 1970. */
class StoredObjects extends Map<string, Buffer> {
  readonly times = new Map<string, number>();

  override set(path: string, content: Buffer): this {
    this.times.set(path, Date.now());
    return super.set(path, content);
  }
}

interface TestS3BucketState {
  readonly objects: Map<string, Buffer>;
  readonly unfinished: Map<string, Map<number, Buffer>>;
}

function respondToS3Request(
  { objects, unfinished }: TestS3BucketState,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
) {
  const url = new URL(request.url ?? '/', 'http://s3');
  const key = decodeURIComponent(url.pathname);
  const uploadId = url.searchParams.get('uploadId');
  const parts = unfinished.get(uploadId ?? '');
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  if (request.method === 'POST' && url.searchParams.has('uploads')) {
    const id = `upload~${unfinished.size + 1}`;
    unfinished.set(id, new Map());
    response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  } else if (uploadId !== null && parts === undefined) response.writeHead(404).end('<Error/>');
  else if (request.method === 'PUT' && parts) {
    parts.set(Number(url.searchParams.get('partNumber')), body);
    response.setHeader('etag', etag).end();
  } else if (request.method === 'POST' && parts && uploadId !== null) {
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));
    const small = numbers.slice(0, -1).some((number) => (parts.get(number)?.length ?? 0) < 5 * 1024 * 1024);
    if (!small) objects.set(key, Buffer.concat(numbers.map((number) => parts.get(number) ?? Buffer.alloc(0))));
    unfinished.delete(uploadId);
    response.writeHead(small ? 400 : 200).end(small ? '<Error>EntityTooSmall</Error>' : '<Result/>');
  } else if (request.method === 'PUT') {
    objects.set(key, body);
    response.setHeader('etag', etag).end();
  } else if (request.method === 'DELETE') {
    if (uploadId === null) objects.delete(key);
    else unfinished.delete(uploadId);
    response.writeHead(204).end();
  } else sendStoredS3Object(objects.get(key), request.headers.range, response);
}

/** Returns a page of the list of S3 objects as XML. The token of the next page is the last key on the page. */
function renderObjectListPage(objects: StoredObjects, path: string, pageSize: number): string {
  const url = new URL(path, 'http://s3');
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...objects.keys()]
    .filter((name) => name.startsWith(url.pathname))
    .map((name) => name.slice(url.pathname.length))
    .filter((key) => key.startsWith(url.searchParams.get('prefix') ?? '') && key > after)
    .toSorted();
  const shown = keys.slice(0, pageSize);
  const contents = shown.map((key) => {
    const size = objects.get(`${url.pathname}${key}`)?.length ?? 0;
    const modified = new Date(objects.times.get(`${url.pathname}${key}`) ?? 0).toISOString();
    return `<Contents><Key>${encodeURIComponent(key).replaceAll('%20', '+')}</Key><LastModified>${modified}</LastModified><Size>${size}</Size></Contents>`;
  });
  const next = keys.length > pageSize ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult>${next}<EncodingType>url</EncodingType>${contents.join('')}</ListBucketResult>`;
}

function sendStoredS3Object(object: Buffer | undefined, range: string | undefined, response: ServerResponse): void {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (object === undefined) response.writeHead(404).end('<Error/>');
  else if (Number(start) >= object.length) response.writeHead(416).end('<Error/>');
  else response.writeHead(206).end(object.subarray(Number(start), Number(end) + 1));
}

/** Returns the reason to reject a request to S3; undefined if the signature of the request is valid. */
function findRequestSignatureRejectionReason(
  request: IncomingMessage,
  body: Buffer,
  region: string,
): string | undefined {
  const { authorization = '', 'x-amz-date': date, 'x-amz-content-sha256': digest } = request.headers;
  const [, credential = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? [];
  const [id, day = '', ...scope] = credential.split('/');
  if (id !== testS3Credentials.accessKeyId) return 'InvalidAccessKeyId';
  if (scope.join('/') !== `${region}/s3/aws4_request`) return 'AuthorizationHeaderMalformed';
  if (digest !== createHash('sha256').update(body).digest('hex')) return 'XAmzContentSHA256Mismatch';
  if (!names.split(';').includes('host')) return 'AccessDenied';
  const [path, query = ''] = (request.url ?? '').split('?');
  const canonical = [
    request.method,
    path,
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`).replace('%7E', '~'))
      .toSorted()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name])}`),
    '',
    names,
    digest,
  ].join('\n');
  const text = `AWS4-HMAC-SHA256\n${String(date)}\n${day}/${scope.join('/')}\n${createHash('sha256').update(canonical).digest('hex')}`;
  let key: Buffer = Buffer.from(`AWS4${testS3Credentials.secretAccessKey}`);
  for (const part of [day, ...scope]) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(text).digest('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

async function readS3RequestBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
