import type { Findings } from '../findings.js';
import { member, type RequestOutcome } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import { readChatResponse } from '../classify-responses.js';
import { type ChatLoad, repeatUntilKnown } from './chat-load.js';
import type { ChatUser } from './chat-user.js';

const protocol = { 'tus-resumable': '1.0.0' };
const bytes = { ...protocol, 'content-type': 'application/offset+octet-stream' };

/** Bytes of one request: a stored part, and half of another. */
const requestBytes = 1_500_000;

/**
 * Uploads numbered files in several requests (tus). After a request with an unknown outcome, the client asks for the
 * offset and continues there. A file whose URL the service returned must be stored once and completely.
 */
export class UploadWriter implements ChatLoad {
  /** Contents of finished uploads, by URL. */
  readonly #finished = new Map<string, { readonly name: string; readonly content: Buffer }>();
  #abandoned = 0;
  #continued = 0;
  #count = 0;

  constructor(
    private readonly user: ChatUser,
    private readonly name: string,
    private readonly parts: { readonly random: Random; readonly findings: Findings },
  ) {}

  async begin(): Promise<void> {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#count += 1;
      const name = `${this.name}-${this.#count}.txt`;
      const line = `file ${name}\n`;
      const size = this.parts.random.integer(requestBytes, 3 * requestBytes);
      const content = Buffer.from(line.repeat(Math.ceil(size / line.length))).subarray(0, size);
      const location = await this.#create(name, size);
      if (location !== null) await this.#upload(location, name, content, signal);
      await pause(this.parts.random.integer(100, 500), signal);
    }
  }

  /** Creates an upload and returns its URL path. Returns null if the outcome is unknown. */
  async #create(name: string, size: number): Promise<string | null> {
    const metadata = `filename ${Buffer.from(name).toString('base64')}`;
    const headers = { ...protocol, 'upload-length': String(size), 'upload-metadata': metadata };
    const outcome = await this.user.send({ method: 'POST', path: '/api/v1/tus', headers });
    if (outcome.kind === 'answered' && outcome.status === 201) return String(outcome.headers?.['location']);
    this.#checkFailure(`create ${name}`, outcome);
    return null;
  }

  async #upload(path: string, name: string, content: Buffer, signal: AbortSignal): Promise<void> {
    let offset: number | null = 0;
    while (!signal.aborted) {
      if (offset === null) {
        offset = await this.#readOffset(path);
        if (offset === null) await pause(100);
        else this.#continued += 1;
        continue;
      }
      const headers = { ...bytes, 'upload-offset': String(offset) };
      const body = content.subarray(offset, offset + requestBytes);
      const outcome: RequestOutcome = await this.user.send({ method: 'PATCH', path, headers, body });
      if (outcome.kind === 'answered' && outcome.status === 200) {
        this.#finished.set(String(member(outcome.body, 'url')), { name, content });
        return;
      }
      if (outcome.kind === 'answered' && outcome.status === 204) {
        offset = Number(outcome.headers?.['upload-offset']);
        continue;
      }
      // Another process still stores the bytes of a request whose connection has ended.
      if (outcome.kind !== 'answered' || outcome.status !== 409) this.#checkFailure(`continue ${name}`, outcome);
      offset = null;
    }
    this.#abandoned += 1;
  }

  async #readOffset(path: string): Promise<number | null> {
    const outcome = await this.user.send({ method: 'HEAD', path, headers: protocol });
    if (outcome.kind === 'answered' && outcome.status === 200) return Number(outcome.headers?.['upload-offset']);
    const isUnavailable = outcome.kind === 'cut' || [502, 503].includes(outcome.status);
    this.parts.findings.check(isUnavailable, () => `HEAD ${path}: ${JSON.stringify(outcome)}`);
    return null;
  }

  #checkFailure(request: string, outcome: RequestOutcome): void {
    const { kind } = readChatResponse(outcome);
    const isAllowed = kind === 'unknown' || kind === 'unsent';
    this.parts.findings.check(isAllowed, () => `${request}: ${JSON.stringify(outcome)}`);
  }

  /** Checks that each finished upload is one attachment, and that its file has the bytes that were sent. */
  async check(): Promise<Readonly<Record<string, number>>> {
    const { findings } = this.parts;
    const verdict = await repeatUntilKnown(() => this.user.get('attachments', {}));
    const list = verdict.kind === 'done' ? member(verdict.body, 'attachments') : undefined;
    const attachments: unknown[] = Array.isArray(list) ? list : [];
    const names = attachments.map((attachment) => String(member(attachment, 'name')));
    for (const name of new Set(names)) {
      const count = names.filter((one) => one === name).length;
      findings.check(count === 1, () => `the file ${name} is stored ${count} times`);
    }
    for (const [url, { name, content }] of this.#finished) {
      findings.check(names.includes(name), () => `the file ${name} has a URL and no attachment`);
      const outcome = await this.user.send({ method: 'GET', path: url });
      const isEqual = outcome.kind === 'answered' && outcome.body === content.toString();
      findings.check(isEqual, () => `the file ${name} differs from the uploaded one`);
    }
    return { uploads: this.#finished.size, continuedUploads: this.#continued, abandonedUploads: this.#abandoned };
  }
}
