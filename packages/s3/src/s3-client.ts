import { OutboundClient, type OutboundClientOptions, type OutboundResponse } from '@switchboard/outbound';
import { encodeS3Path, encodeS3Query, type S3Credentials, createSignedS3Headers } from './sign-request.js';

/** Options of an S3 client: the address of a bucket, and the credentials for the bucket. */
export interface S3ClientOptions extends S3Credentials {
  /** Scheme, host and port of the S3 store, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  /**
   * Function that returns the time for the signatures of requests, in milliseconds since 1970. Default: the system
   * time.
   */
  readonly now?: () => number;
  /**
   * Options of the outbound client for an endpoint that users choose, such as an address policy. Default: the host of
   * the endpoint is allowed, with any network address.
   */
  readonly outbound?: OutboundClientOptions;
  /** Signal that ends all requests of the S3 client. The ended requests reject with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** A request to S3 about an object of the bucket, or about the bucket itself if the key is empty. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Error for an S3 response whose status the sender of the request does not expect. */
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

/**
 * Maximum size of a response from the S3 store in bytes. The maximum is larger than every requested piece of an object.
 */
const maxS3ResponseBytes = 16 * 1024 * 1024;

/**
 * Sends signed requests to one S3-compatible bucket with path-style addresses. The outbound HTTP client sends the
 * requests.
 */
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
   * @throws RangeError for a key with a segment `.` or `..`, which a URL cannot express; S3Error for a response status
   *   that is not in `expected`; OutboundError when the bucket cannot be reached; the reason of the abort signal in the
   *   options
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

  /** Waits for running requests to the S3 bucket, then closes all connections. */
  close(): Promise<void> {
    return this.#outbound.close();
  }
}
