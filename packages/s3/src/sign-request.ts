import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

/** Credentials and region with which requests to S3 are signed. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** A request to S3 without a signature. */
interface UnsignedS3Request {
  readonly method: string;
  /** URL whose path is already encoded by {@link encodeS3Path}. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Signs a request to S3 and returns the headers of the signed request: the given headers, `x-amz-content-sha256`,
 * `x-amz-date` and `authorization`. The Signature Version 4 covers all headers and the digest of the body.
 *
 * @param now milliseconds since the epoch
 */
export async function createSignedS3Headers(
  { method, url, headers, body }: UnsignedS3Request,
  credentials: S3Credentials,
  now: number,
): Promise<Record<string, string>> {
  const digest = createHash('sha256').update(body).digest('hex');
  const datetime = new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const unsigned = { ...headers, 'x-amz-content-sha256': digest, 'x-amz-date': datetime };
  const { accessKeyId, secretAccessKey, region } = credentials;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: unsigned,
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    datetime,
    // Also signs the content type and the range, which the library omits by default.
    allHeaders: true,
  });
  return { ...unsigned, authorization: await signer.authHeader() };
}

/**
 * Returns the key of an S3 object as the path of a URL: all characters except unreserved characters and slashes are
 * percent-encoded.
 */
export function encodeS3Path(key: string): string {
  return key.split('/').map(percentEncode).join('/');
}

/**
 * Returns parameters in the form of a URL query. The encoding is the encoding that the signature of an S3 request
 * requires.
 */
export function encodeS3Query(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map((parameter) => parameter.map(percentEncode).join('='))
    .join('&');
}

/**
 * Percent-encodes all but the unreserved characters of RFC 3986, because the signature of an S3 request requires this
 * encoding.
 */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
