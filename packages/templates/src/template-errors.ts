/**
 * Base class of errors that a template causes. An error has the name of the corresponding Jinja exception, because API
 * responses contain this name.
 */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
}

/** Error for a text that is not a valid template. The parser throws the error before the rendering begins. */
export class TemplateSyntaxError extends TemplateError {
  override readonly name = 'TemplateSyntaxError';

  /** @param line line number, from 1 */
  constructor(
    readonly reason: string,
    readonly line: number,
  ) {
    super(`${reason} (line ${line})`);
  }
}

/** Error for a template that used an undefined value. */
export class UndefinedError extends TemplateError {
  override readonly name = 'UndefinedError';
}

/** Error for a template that accessed a member that templates must not access. */
export class SecurityError extends TemplateError {
  override readonly name = 'SecurityError';
}

/** Error for a template that used a value in a way that its type does not support. */
export class TemplateRuntimeError extends TemplateError {
  override readonly name = 'TemplateRuntimeError';
}

/** Error for a condition or sort order in a template with a field name that the objects do not have. */
export class FieldError extends TemplateError {
  override readonly name = 'FieldError';
}

/** Error for a call of `get()` in a template with conditions that no object meets. */
export class ObjectNotFoundError extends TemplateError {
  override readonly name = 'DoesNotExist';
}

/** Error for a call of `get()` in a template with conditions that several objects meet. */
export class MultipleObjectsError extends TemplateError {
  override readonly name = 'MultipleObjectsReturned';
}

/** Error for a template that refers to another template that does not exist. */
export class TemplateNotFoundError extends TemplateError {
  override readonly name = 'TemplateNotFound';
}

/** Name of a limit of rendering that a template exceeded. */
export type TemplateLimit = 'time' | 'output' | 'steps' | 'memory' | 'depth' | 'rows' | 'statements';

/** Error for a template that exceeds a limit of rendering. The output of the template is discarded. */
export class TemplateLimitError extends TemplateError {
  override readonly name = 'TemplateLimitError';

  constructor(
    readonly limit: TemplateLimit,
    message: string,
  ) {
    super(message);
  }
}
