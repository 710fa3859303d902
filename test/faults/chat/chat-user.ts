import { type FaultRequest, member, type Outcome, send } from '../http.js';

/** A signed-in chat user. Requests are sent to the proxy in front of the chat processes. */
export class ChatUser {
  private constructor(
    readonly origin: string,
    readonly id: number,
    readonly email: string,
    readonly authorization: string,
  ) {}

  /** Signs in a user of the demo realm. `name` is the local part of the email address. */
  static async signIn(origin: string, name: string): Promise<ChatUser> {
    const username = encodeURIComponent(`${name}@example.com`);
    const outcome = await send(origin, { method: 'POST', path: `/api/v1/dev_fetch_api_key?username=${username}` });
    const body = outcome.kind === 'answered' ? outcome.body : undefined;
    const [email, key] = [String(member(body, 'email')), String(member(body, 'api_key'))];
    const basic = Buffer.from(`${email}:${key}`).toString('base64');
    return new ChatUser(origin, Number(member(body, 'user_id')), email, `Basic ${basic}`);
  }

  get(
    path: string,
    query: Readonly<Record<string, string>>,
    { headers, ...options }: Pick<FaultRequest, 'headers' | 'signal' | 'onStreamText'> = {},
  ): Promise<Outcome> {
    const call = { method: 'GET', path: `/api/v1/${path}?${new URLSearchParams(query).toString()}` } as const;
    return send(this.origin, { ...call, ...options, headers: { ...this.#headers(), ...headers } });
  }

  /** Sends a request with form parameters. */
  call(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    form: Readonly<Record<string, string>>,
    additional: Readonly<Record<string, string>> = {},
  ) {
    const headers = { ...this.#headers(), ...additional, 'content-type': 'application/x-www-form-urlencoded' };
    return send(this.origin, { method, path: `/api/v1/${path}`, headers, body: new URLSearchParams(form).toString() });
  }

  #headers(): Record<string, string> {
    return { authorization: this.authorization };
  }
}
