import { readFile } from 'node:fs/promises';
import { type SafeHtml, renderHtml } from './html-template-tag.js';

/** Options of {@link ApiDocumentation}: titles and URL paths of the Swagger UI and Redoc pages. */
export interface ApiDocumentationOptions {
  /** Title of the two API documentation pages. */
  readonly title: string;
  /** URL path at which the service serves the OpenAPI document as JSON. */
  readonly documentPath: string;
  /** URL path under which the service serves the files of the documentation pages, without a final slash. */
  readonly assetsPath: string;
  /** Names of the cookie and the header of the CSRF token, only for services with browser sessions. */
  readonly csrf?: { readonly cookie: string; readonly header: string };
  /**
   * Returns the location in the file system of a file of the packages `swagger-ui-dist` and `redoc`, which are
   * dependencies of the service.
   */
  readonly resolve: (file: string) => string;
}

/** A script, style or other file that one of the API documentation pages loads. */
export interface DocumentationAsset {
  readonly contentType: string;
  readonly content: string;
}

interface DocumentationAssetSource {
  readonly type: string;
  readonly file?: string;
  readonly text?: string;
}

/**
 * Content security policy of the documentation pages. The pages use inline styles and data images, read the OpenAPI
 * document, and load nothing from other origins.
 */
const createDocumentationSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'; base-uri 'none'";

/**
 * Creates the documentation pages Swagger UI and Redoc for the OpenAPI document of a service. Also provides the files
 * that the pages load.
 */
export class ApiDocumentation {
  /** Response headers of the documentation pages. */
  readonly pageHeaders = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': createDocumentationSecurityPolicy,
    'x-content-type-options': 'nosniff',
  } as const;
  readonly #assets: ReadonlyMap<string, DocumentationAssetSource>;

  constructor(private readonly options: ApiDocumentationOptions) {
    this.#assets = new Map<string, DocumentationAssetSource>([
      ['swagger-ui.css', { type: 'text/css', file: 'swagger-ui-dist/swagger-ui.css' }],
      ['swagger-ui-bundle.js', { type: 'text/javascript', file: 'swagger-ui-dist/swagger-ui-bundle.js' }],
      ['swagger-ui-start.js', { type: 'text/javascript', text: createSwaggerStartScript(options) }],
      ['redoc.standalone.js', { type: 'text/javascript', file: 'redoc/bundles/redoc.standalone.js' }],
    ]);
  }

  /** Returns the HTML page of Swagger UI, on which a user can send test requests. */
  renderSwaggerUi(): string {
    const { assetsPath } = this.options;
    return this.#renderPage(
      renderHtml`<link rel="stylesheet" href="${assetsPath}/swagger-ui.css" />
        <div id="documentation"></div>
        <script src="${assetsPath}/swagger-ui-bundle.js"></script>
        <script src="${assetsPath}/swagger-ui-start.js"></script>`,
    );
  }

  /** Returns the HTML page of Redoc, which displays the documentation without test requests. */
  renderRedoc(): string {
    const { assetsPath, documentPath } = this.options;
    return this.#renderPage(
      renderHtml`<redoc spec-url="${documentPath}"></redoc>
        <script type="module" src="${assetsPath}/redoc.standalone.js"></script>`,
    );
  }

  /** Returns a file that the documentation pages load, or null if the pages load no file with the given name. */
  async findAsset(name: string): Promise<DocumentationAsset | null> {
    const source = this.#assets.get(name);
    if (source === undefined) return null;
    const { type, file, text = '' } = source;
    const content = file === undefined ? text : await readFile(this.options.resolve(file), 'utf8');
    return { contentType: `${type}; charset=utf-8`, content };
  }

  #renderPage(body: SafeHtml): string {
    const page = renderHtml`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${this.options.title}</title>
        </head>
        <body>
          ${body}
        </body>
      </html> `;
    return page.text;
  }
}

/**
 * Returns the script that starts Swagger UI on its page. Operations are collapsed at first, because displaying hundreds
 * of operations takes seconds.
 */
function createSwaggerStartScript({ documentPath, csrf }: ApiDocumentationOptions): string {
  const url = JSON.stringify(documentPath);
  return `SwaggerUIBundle({ url: ${url}, dom_id: '#documentation', docExpansion: 'none',
    defaultModelsExpandDepth: -1, filter: true, validatorUrl: null,
    requestInterceptor: ${csrf === undefined ? '(request) => request' : createCsrfInterceptorScript(csrf)} });`;
}

/** Returns the script that copies the CSRF token from the cookie to a header of each request that Swagger UI sends. */
function createCsrfInterceptorScript({ cookie, header }: { readonly cookie: string; readonly header: string }): string {
  return `(request) => {
      const token = document.cookie.split('; ').find((pair) => pair.startsWith(${JSON.stringify(`${cookie}=`)}));
      if (token) request.headers[${JSON.stringify(header)}] = decodeURIComponent(token.slice(${cookie.length + 1}));
      return request;
    }`;
}
