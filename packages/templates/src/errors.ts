/**
 * Base class of errors in a template. Each has the name of the corresponding Jinja exception, which responses contain.
 */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
}

/** The source is not a valid template. It is thrown by parsing, before rendering begins. */
export class TemplateSyntaxError extends TemplateError {
  override readonly name = 'TemplateSyntaxError';

  /** @param line line number, from 1 */
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(`${message} (line ${line})`);
  }
}

/** The template used an undefined value. */
export class UndefinedError extends TemplateError {
  override readonly name = 'UndefinedError';
}

/** The template accessed something that templates must not access. */
export class SecurityError extends TemplateError {
  override readonly name = 'SecurityError';
}

/** The template used a value in a way that its type does not support. */
export class TemplateRuntimeError extends TemplateError {
  override readonly name = 'TemplateRuntimeError';
}

/** Another template was referenced, which is not supported. */
export class TemplateNotFoundError extends TemplateError {
  override readonly name = 'TemplateNotFound';
}

/** Name of the limit that was exceeded. */
export type TemplateLimit = 'time' | 'output' | 'steps' | 'memory' | 'depth';

/** The template exceeds a limit. Its output so far is discarded. */
export class TemplateLimitError extends TemplateError {
  override readonly name = 'TemplateLimitError';

  constructor(
    readonly limit: TemplateLimit,
    message: string,
  ) {
    super(message);
  }
}
