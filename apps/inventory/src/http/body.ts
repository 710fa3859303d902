import type { FastifyInstance } from 'fastify';
import { errors } from '../errors.js';

// The parser has no limit, but writing such a value out again would exhaust the stack.
const deepestNesting = 100;

/** A body as it came: who sends it is checked before it is read (contract 1.2 before 1.5). */
export class UnreadBody {
  constructor(
    private readonly mediaType: string,
    private readonly text: string,
  ) {}

  /**
   * The body as JSON; an empty one counts as `{}`.
   *
   * @throws AppError UNSUPPORTED_MEDIA_TYPE or PARSE_ERROR
   */
  read(): unknown {
    if (this.text.trim() === '') return {};
    if (this.mediaType.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
      throw errors.create('UNSUPPORTED_MEDIA_TYPE', { params: { type: this.mediaType } });
    }
    const value = this.parse();
    if (isDeeperThan(value, deepestNesting)) {
      throw errors.create('PARSE_ERROR', { params: { reason: `More than ${deepestNesting} levels of nesting` } });
    }
    return value;
  }

  private parse(): unknown {
    try {
      return JSON.parse(this.text);
    } catch (cause) {
      throw errors.create('PARSE_ERROR', { params: { reason: whereItFails(this.text) }, cause });
    }
  }
}

/** Reads the body of a request; one without a body counts as `{}`. */
export function readBody(body: unknown): unknown {
  return body instanceof UnreadBody ? body.read() : {};
}

/** Takes bodies of every media type as text, to be judged later. */
export function keepBodiesUnread(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (request, text, done) => {
    done(null, new UnreadBody(request.headers['content-type'] ?? '', String(text)));
  });
}

/** The first value of a text that is no JSON at all is what clients compare (contract 1.5). */
function whereItFails(text: string): string {
  const first = text.trimStart();
  const column = text.length - first.length + 1;
  return /^[[{"\d-]/.test(first) ? 'Invalid JSON' : `Expecting value: line 1 column ${column} (char ${column - 1})`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
