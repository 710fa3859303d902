import type { ResponseFileStore } from '../engine/responses/response-files.js';
import type { ResponseWriter } from '../engine/responses/response-writer.js';
import type { StoredResponse } from '../engine/responses/stored-response.js';
import { mapWithEventLoopPauses } from '../engine/write/map-with-event-loop-pauses.js';
import type { WrittenObjectReceiver, WrittenObject } from '../engine/write/write-request.js';

/**
 * Builds the response to a request that creates or changes a list of objects. A small JSON array is built in memory,
 * and a large one in a temporary file.
 */
export class WrittenListResponse implements WrittenObjectReceiver {
  #writer: ResponseWriter | null = null;

  /** @param textOf returns the JSON text of an object in the response */
  constructor(
    private readonly files: ResponseFileStore,
    private readonly textOf: (object: WrittenObject) => string,
  ) {}

  /**
   * Starts a new response, and discards the response of an earlier attempt of the write; see {@link WrittenObjectReceiver}.
   */
  async begin(): Promise<void> {
    await this.discardContent();
    this.#writer = this.files.createResponseWriter();
  }

  /** Adds written objects to the end of the response; see {@link WrittenObjectReceiver}. */
  async add(objects: readonly WrittenObject[]): Promise<void> {
    const writer = this.#writer;
    if (writer === null || objects.length === 0) return;
    const texts = await mapWithEventLoopPauses(objects, this.textOf);
    await writer.write(`${writer.writtenBytes === 0 ? '' : ', '}${texts.join(', ')}`);
  }

  /**
   * Ends the JSON array of the response. Returns the array as text, or as a stored response if the array is in a file.
   */
  async finish(): Promise<string | StoredResponse> {
    return this.#writer === null ? '[]' : this.#writer.finish({ head: '[', tail: ']' });
  }

  /**
   * Runs a write and returns the response to it. The write returns a few objects directly, and adds many objects to
   * this sink.
   *
   * @returns the response
   */
  async buildResponse(
    write: (response: WrittenObjectReceiver) => Promise<readonly WrittenObject[] | null>,
  ): Promise<string | StoredResponse> {
    try {
      const objects = await write(this);
      if (objects === null) return await this.finish();
      return `[${(await mapWithEventLoopPauses(objects, this.textOf)).join(', ')}]`;
    } catch (error) {
      await this.discardContent();
      throw error;
    }
  }

  /** Discards the content of a response that will not be sent. */
  async discardContent(): Promise<void> {
    await this.#writer?.discard();
    this.#writer = null;
  }
}
