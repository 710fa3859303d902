import type { MultipartFile } from '@fastify/multipart';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { AppError } from '@switchboard/errors';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest } from '../../errors.js';
import { bodyTooLarge } from './error-renderer.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is left to the handler, see {@link TakesFile}. */
    takesFile?: boolean;
  }
}

/** A handler that reads its multipart body itself, as a {@link FileForm}: nothing of it is read before the guard. */
export const TakesFile = (): MethodDecorator => RouteConfig({ takesFile: true });

/** A multipart body with one file; the name of its field is of no account. */
export const fileBody = [
  {
    contentType: 'multipart/form-data',
    schema: z.object({ filename: z.string().meta({ format: 'binary', description: 'The file' }) }),
  },
];

/** A file on its way in. */
export interface IncomingFile {
  /** File name sent by the client. */
  readonly name: string;
  /** Content type declared by the client. */
  readonly contentType: string;
  /** To be read once. Throws AppError BAD_REQUEST when it is larger than allowed, or the body breaks off. */
  readonly content: AsyncIterable<Buffer>;
}

/** A file that was read whole, and the fields sent with it. */
export interface ReadForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly Buffer[];
}

/** Handler parameter: the body of a handler that {@link TakesFile}. */
export const SentForm = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => new FileForm(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** A multipart body that has not been read yet (docs/contract/chat.md 1.3: the first file counts, whatever its field). */
export class FileForm {
  constructor(private readonly request: FastifyRequest) {}

  /** The first file; null where there is none. @throws AppError BAD_REQUEST for a malformed body */
  async first(maxBytes: number): Promise<IncomingFile | null> {
    if (!this.request.isMultipart()) return null;
    const file = await this.#reading(() => this.request.file({ limits: { fileSize: maxBytes + 1 } }), undefined);
    return file === undefined
      ? null
      : { name: file.filename, contentType: file.mimetype, content: bounded(file, maxBytes) };
  }

  /** All of the body, for pictures. @throws AppError BAD_REQUEST for a malformed body, or too large a file */
  async read(maxBytes: number): Promise<ReadForm> {
    const fields = new Map<string, string>();
    const files: Buffer[] = [];
    if (!this.request.isMultipart()) return { fields, files };
    return this.#reading(
      async () => {
        for await (const part of this.request.parts({ limits: { fileSize: maxBytes + 1, files: 2 } })) {
          if (part.type === 'file') files.push(await readAll(bounded(part, maxBytes)));
          else fields.set(part.fieldname, String(part.value));
        }
        return { fields, files };
      },
      { fields, files },
    );
  }

  /** @param nothing What an empty form is read as. */
  async #reading<T>(read: () => Promise<T>, nothing: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (isEmptyForm(this.request, error)) return nothing;
      throw badRequest('Malformed form data');
    }
  }
}

/** A body of nothing but its closing boundary is how some clients send a form without fields. */
export function isEmptyForm(request: FastifyRequest, error: unknown): boolean {
  if (!(error instanceof Error) || !/unexpected end/i.test(error.message)) return false;
  const boundary = /boundary="?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  // No longer than a closing boundary: two dashes on either side of it and a line end or two around.
  return Number(request.headers['content-length'] ?? 0) <= boundary.length + 8;
}

async function* bounded({ file }: MultipartFile, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of file) {
      const bytes: Buffer = chunk;
      size += bytes.length;
      if (size > maxBytes) throw badRequest(bodyTooLarge(maxBytes));
      yield bytes;
    }
  } catch (error) {
    throw error instanceof AppError ? error : badRequest('Malformed form data');
  } finally {
    // What is left is read and dropped, so that the client gets to hear the answer.
    file.resume();
  }
}

async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
