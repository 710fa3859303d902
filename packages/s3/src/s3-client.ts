import { OutboundClient, type OutboundClientOptions, type OutboundResponse } from '@switchboard/outbound';
import { encodeS3Path, encodeS3Query, type S3Credentials, createSignedS3Headers } from './sign-request.js';

/** Address of a bucket, and the credentials for it. */
export interface S3ClientOptions extends S3Credentials {
  /** Scheme, host and port of the store, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Returns the time to sign requests with, in milliseconds since the epoch. Default: the time of the system. */
  readonly now?: () => number;
  /**
   * Options of the outbound client for an endpoint that users choose, such as an address policy. By default, the host
   * of the endpoint is allowed with any address.
   */
  readonly outbound?: OutboundClientOptions;
  /** Signal that ends all requests of the client; they reject with its reason. */
  readonly signal?: AbortSignal;
}

/** One request about one object of the bucket, or about the bucket if the key is empty. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Error for a response whose status a request does not expect. */
export class S3Error extends Error {
  override readonly name = 'S3Error';

  constructor(
    { method, key }: S3Request,
    readonly status: number,
    body: Buffer,
  ) {
    super(`${method} ${key} failed with status ${status}: ${body.toString('utf8', 0, 500)}`);
  }
}

/** Maximum size of a response from the store in bytes. It is larger than any piece that is requested. */
const maxS3ResponseBytes = 16 * 1024 * 1024;

/** Sends signed requests to one S3-compatible bucket with path-style addresses, by the outbound client. */
export class S3Client {
  readonly #outbound: OutboundClient;

  constructor(private readonly options: S3ClientOptions) {
    // By default this host is always allowed: the operator configures it, and users cannot change it.
    const allowHosts = [new URL(options.endpoint).hostname];
    this.#outbound = new OutboundClient({
      policy: { allowLoopback: false, allowPrivate: false, allowHosts, allowNetworks: [] },
      ...options.outbound,
      maxRedirects: 0,
      maxResponseBytes: maxS3ResponseBytes,
      maxConnectionsPerOrigin: 32,
      // Disabled, because pieces of some megabytes are transferred concurrently.
      http2: false,
    });
  }

  /**
   * Sends a signed request and returns its response.
   *
   * @throws RangeError for a key with a segment `.` or `..`, which a URL cannot express; S3Error for a status that is
   *   not expected; OutboundError when the bucket cannot be reached; the reason of the signal of the options
   */
  async request(request: S3Request, expected: readonly number[]): Promise<OutboundResponse> {
    if (request.key.split('/').some((segment) => segment === '.' || segment === '..')) {
      throw new RangeError(`Key with a segment "." or "..": ${request.key}`);
    }
    const { endpoint, bucket, now = Date.now, signal } = this.options;
    const url = new URL(`${endpoint}/${encodeS3Path(`${bucket}/${request.key}`)}`);
    url.search = encodeS3Query(request.query ?? {});
    const { method, body = Buffer.alloc(0), headers = {} } = request;
    const signed = await createSignedS3Headers({ method, url, headers, body }, this.options, now());
    const response = await this.#outbound.request({
      url: url.href,
      method,
      headers: signed,
      ...(method !== 'GET' && { body }),
      ...(signal && { signal }),
    });
    if (!expected.includes(response.status)) throw new S3Error(request, response.status, response.body);
    return response;
  }

  /** Waits for running requests, then closes every connection. */
  close(): Promise<void> {
    return this.#outbound.close();
  }
}
