import { S3Bucket } from '@switchboard/s3';
import type { SourceParameters } from './decrypt-parameters.js';
import { convertRemoteToSyncError } from './convert-remote-error.js';
import type { DataSourceSettings } from './data-source-settings.js';
import type { ListedSourceFile } from './compare-source-files.js';
import { SyncError } from './data-source-sync-error.js';

/** Address of a data source in an S3 store: endpoint, region, bucket, and prefix of the object keys. */
interface BucketAddress {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
}

/** Regular expression of the host names of Amazon S3, with or without bucket name and region. */
const amazonHostPattern =
  /^(?:(?<bucket>[a-z0-9][a-z0-9.-]*)\.)?s3(?:[.-](?<region>[a-z0-9-]+))?\.(?<domain>amazonaws\.com(?:\.cn)?)$/u;

/** Default region of S3 hosts whose name contains no region. */
const defaultBucketRegion = 'us-east-1';

/**
 * Lists the objects of an S3 bucket whose keys have the prefix in the URL. The path of an object is the whole key, like
 * in the reference API (NetBox). Keys that end with a slash represent folders and are omitted.
 *
 * @param url `https://s3.<region>.amazonaws.com/<bucket>/<prefix>`, this URL with the bucket in the host name, or a URL
 * with the host of another S3 store
 * @param parameters `aws_access_key_id` and `aws_secret_access_key`
 * @throws SyncError if the bucket cannot be read
 * @throws the reason of the signal after an abort
 */
export async function* listBucketObjects(
  url: string,
  parameters: SourceParameters,
  { outbound }: DataSourceSettings,
  signal: AbortSignal,
): AsyncGenerator<ListedSourceFile> {
  const { prefix, ...address } = parseBucketUrl(url);
  const accessKeyId = parameters.get('aws_access_key_id') ?? '';
  const secretAccessKey = parameters.get('aws_secret_access_key') ?? '';
  if (accessKeyId === '' || secretAccessKey === '') {
    throw new SyncError('The parameters aws_access_key_id and aws_secret_access_key are required.');
  }
  const bucket = new S3Bucket({ ...address, accessKeyId, secretAccessKey, outbound, signal });
  try {
    for await (const { key } of bucket.listObjects(prefix)) {
      if (!key.endsWith('/')) yield { path: key, read: (maxBytes) => readBucketObject(bucket, key, maxBytes) };
    }
  } catch (error) {
    throw convertRemoteToSyncError(error);
  } finally {
    await bucket.close();
  }
}

/**
 * Reads at most `maxBytes` + 1 bytes of an S3 object. The additional byte shows the caller that the object is too
 * large.
 */
async function readBucketObject(bucket: S3Bucket, key: string, maxBytes: number): Promise<Uint8Array> {
  if (key.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw new SyncError(`The key ${key} cannot be read: it contains the segment . or ..`);
  }
  try {
    const stream = await bucket.open(key, { start: 0, end: maxBytes });
    if (stream === null) throw new SyncError(`${key} was removed while the data source was read.`);
    const pieces: Buffer[] = [];
    for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (error) {
    throw convertRemoteToSyncError(error);
  }
}

/**
 * Parses the URL of a data source of type `amazon-s3`.
 *
 * @throws SyncError unless the URL names a bucket
 */
export function parseBucketUrl(text: string): BucketAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/u.test(url.protocol) ||
    `${url.username}${url.password}${url.search}${url.hash}` !== ''
  ) {
    throw new SyncError('The URL of a bucket has the form https://s3.<region>.amazonaws.com/<bucket>/<folder>.');
  }
  const path = decodeUrlPath(url.pathname.slice(1));
  const amazon = amazonHostPattern.exec(url.host)?.groups;
  const region = amazon?.['region'] ?? defaultBucketRegion;
  const endpoint =
    amazon === undefined ? url.origin : `${url.protocol}//${url.host.slice((amazon['bucket']?.length ?? -1) + 1)}`;
  const inHost = amazon?.['bucket'];
  const [first = '', ...rest] = path.split('/');
  const bucket = inHost ?? first;
  if (!/^[\w.-]*\w[\w.-]*$/u.test(bucket)) throw new SyncError('The URL names no bucket.');
  return { endpoint, region, bucket, prefix: inHost === undefined ? rest.join('/') : path };
}

function decodeUrlPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new SyncError('The path of the URL is malformed.', { cause: error });
  }
}
