/** Names of the kinds of failure of an outgoing request. Programs can store or count failures by these names. */
export type OutboundFailure =
  | 'url_refused'
  | 'address_refused'
  | 'method_refused'
  | 'header_refused'
  | 'name_not_resolved'
  | 'connect_failed'
  | 'certificate_refused'
  | 'connection_lost'
  | 'timeout'
  | 'response_too_large'
  | 'too_many_redirects';

/**
 * Base class of the errors that {@link OutboundClient.request} throws, except the reason of the caller's abort signal.
 */
export abstract class OutboundError extends Error {
  abstract readonly failure: OutboundFailure;
}

/** Error for a URL of a request or redirect that is not allowed or not supported. */
export class UrlRefusedError extends OutboundError {
  override readonly name = 'UrlRefusedError';
  readonly failure = 'url_refused';
}

/** Error for a host name or address that the address policy rejects. No data was sent to this address. */
export class AddressRefusedError extends OutboundError {
  override readonly name = 'AddressRefusedError';
  readonly failure = 'address_refused';

  /**
   * @param host host of the URL
   * @param address the rejected address, as resolved
   * @param range kind of range that contains the address, for example `loopback`
   */
  constructor(
    readonly host: string,
    readonly address: string,
    readonly range: string,
  ) {
    super(`Address ${address} of host ${host} is refused: ${range}`);
  }
}

/** Error for an HTTP method that is not a token of capital letters, or is CONNECT or TRACE. */
export class MethodRefusedError extends OutboundError {
  override readonly name = 'MethodRefusedError';
  readonly failure = 'method_refused';

  constructor(method: string) {
    super(`Method ${JSON.stringify(method)} is refused`);
  }
}

/**
 * Error for a header that cannot be sent: the header's name or value contains forbidden characters, or the connection
 * sets the header itself.
 */
export class HeaderRefusedError extends OutboundError {
  override readonly name = 'HeaderRefusedError';
  readonly failure = 'header_refused';

  /** @param header printable form of the name; the value is omitted because it may be secret */
  constructor(
    readonly header: string,
    reason: string,
  ) {
    super(`Header ${header} is refused: ${reason}`);
  }
}

/** Error for a host name that has no address, or for a failure of the resolver. */
export class NameResolutionError extends OutboundError {
  override readonly name = 'NameResolutionError';
  readonly failure = 'name_not_resolved';

  constructor(
    readonly host: string,
    options?: ErrorOptions,
  ) {
    super(`Host ${host} could not be resolved`, options);
  }
}

/**
 * Error for a connection that was not established: the server or the proxy refused it, the server was unreachable, or
 * TLS failed. No part of the request was sent.
 */
export class ConnectError extends OutboundError {
  override readonly name: string = 'ConnectError';
  readonly failure: 'connect_failed' | 'certificate_refused' = 'connect_failed';

  /** @param address address of the attempt, or the host of the proxy */
  constructor(
    readonly address: string,
    cause: unknown,
  ) {
    super(`Could not connect to ${address}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Error for a server whose certificate is not accepted with the `tls` options of the request. Another request to the
 * same host may succeed.
 */
export class CertificateRefusedError extends ConnectError {
  override readonly name = 'CertificateRefusedError';
  override readonly failure = 'certificate_refused';
}

/**
 * Error for a connection that was lost, or on which invalid HTTP was received, after the sending of the request had
 * begun.
 */
export class ConnectionLostError extends OutboundError {
  override readonly name = 'ConnectionLostError';
  readonly failure = 'connection_lost';

  constructor(
    readonly address: string,
    cause: unknown,
  ) {
    super(`The exchange with ${address} broke: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Name of the time limit that an outgoing request has exceeded: `connect`, `headers` or `total`. */
export type TimeoutPhase = 'connect' | 'headers' | 'total';

/** Error for an outgoing request that exceeded a time limit. */
export class OutboundTimeoutError extends OutboundError {
  override readonly name = 'OutboundTimeoutError';
  readonly failure = 'timeout';

  constructor(
    readonly phase: TimeoutPhase,
    readonly limitMs: number,
  ) {
    super(`No response within the ${phase} limit of ${limitMs} ms`);
  }
}

/** Error for a response body that is larger than allowed, if the caller did not request truncation. */
export class ResponseTooLargeError extends OutboundError {
  override readonly name = 'ResponseTooLargeError';
  readonly failure = 'response_too_large';

  constructor(readonly limitBytes: number) {
    super(`The response body exceeds ${limitBytes} bytes`);
  }
}

/** Error for a request that was redirected more often than allowed, for example because of a redirect loop. */
export class TooManyRedirectsError extends OutboundError {
  override readonly name = 'TooManyRedirectsError';
  readonly failure = 'too_many_redirects';

  constructor(readonly limit: number) {
    super(`More than ${limit} redirects`);
  }
}
