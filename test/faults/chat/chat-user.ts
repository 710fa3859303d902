import { type FaultRequest, member, type RequestOutcome, send } from '../http.js';

/** A signed-in chat user. Requests are sent to the proxy in front of the chat processes. */
export class ChatUser {
  private constructor(
    readonly origin: string,
    readonly id: number,
    readonly email: string,
    readonly authorization: string,
    private readonly host?: string,
  ) {}

  /**
   * Signs in a user of the demo realm by the local part of the email address. For another realm, the email address and
   * the host of the realm are needed.
   */
  static async signIn(origin: string, name: string, host?: string): Promise<ChatUser> {
    const username = encodeURIComponent(host === undefined ? `${name}@example.com` : name);
    const path = `/api/v1/dev_fetch_api_key?username=${username}`;
    const outcome = await send(origin, { method: 'POST', path, headers: host === undefined ? {} : { host } });
    const body = outcome.kind === 'answered' ? outcome.body : undefined;
    const [email, key] = [String(member(body, 'email')), String(member(body, 'api_key'))];
    return new ChatUser(origin, Number(member(body, 'user_id')), email, authorizationOf(email, key), host);
  }

  /** Returns a client for this chat user whose requests are sent to another address. */
  at(origin: string): ChatUser {
    return new ChatUser(origin, this.id, this.email, this.authorization, this.host);
  }

  /** Returns a client for this chat user with another API key. */
  withKey(key: string): ChatUser {
    return new ChatUser(this.origin, this.id, this.email, authorizationOf(this.email, key), this.host);
  }

  get(
    path: string,
    query: Readonly<Record<string, string>>,
    { headers, ...options }: Pick<FaultRequest, 'headers' | 'signal' | 'onStreamText'> = {},
  ): Promise<RequestOutcome> {
    const call = { method: 'GET', path: `/api/v1/${path}?${new URLSearchParams(query).toString()}` } as const;
    return send(this.origin, { ...call, ...options, headers: { ...this.#headers(), ...headers } });
  }

  /** Sends a request of the chat user with form parameters, and returns the outcome. */
  call(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    form: Readonly<Record<string, string>>,
    additional: Readonly<Record<string, string>> = {},
  ) {
    const headers = { ...this.#headers(), ...additional, 'content-type': 'application/x-www-form-urlencoded' };
    return send(this.origin, { method, path: `/api/v1/${path}`, headers, body: new URLSearchParams(form).toString() });
  }

  /** Sends any request of the chat user. The path is that of the URL. */
  send(request: FaultRequest): Promise<RequestOutcome> {
    return send(this.origin, { ...request, headers: { ...this.#headers(), ...request.headers } });
  }

  #headers(): Record<string, string> {
    const { authorization, host } = this;
    return host === undefined ? { authorization } : { authorization, host };
  }
}

function authorizationOf(email: string, key: string): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
}
