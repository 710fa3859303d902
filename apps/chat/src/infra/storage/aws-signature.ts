import { createHash, createHmac } from 'node:crypto';

/** Credentials and region of a signature. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** A request to S3 before it is signed. */
export interface UnsignedRequest {
  readonly method: string;
  /** Its path is already encoded as {@link encodeS3Path} does. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const algorithm = 'AWS4-HMAC-SHA256';
const service = 's3';

/**
 * The headers that sign a request: those it has, with `x-amz-date`, `x-amz-content-sha256` and `authorization`
 * (AWS Signature Version 4, "Signing AWS API requests", with the payload's digest; S3 does not encode paths twice).
 *
 * @param now Milliseconds since the epoch.
 */
export function signedHeaders(
  request: UnsignedRequest,
  credentials: AwsCredentials,
  now: number,
): Record<string, string> {
  const timestamp = new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const scope = `${timestamp.slice(0, 8)}/${credentials.region}/${service}/aws4_request`;
  const headers = {
    ...request.headers,
    'x-amz-content-sha256': sha256(request.body),
    'x-amz-date': timestamp,
  };
  const signed = Object.entries({ ...headers, host: request.url.host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    request.url.pathname,
    canonicalQuery(request.url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const text = [algorithm, timestamp, scope, sha256(canonical)].join('\n');
  const signature = hmac(signingKey(credentials, timestamp.slice(0, 8)), text).toString('hex');
  const authorization = `${algorithm} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** A key as the path of a URL: everything but unreserved characters and slashes is percent-encoded. */
export function encodeS3Path(key: string): string {
  return key.split('/').map(encodeStrictly).join('/');
}

/** Percent-encodes all but the unreserved characters of RFC 3986, as the signature wants it. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .toSorted()
    .join('&');
}

function signingKey({ secretAccessKey, region }: AwsCredentials, date: string): Buffer {
  return [date, region, service, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
